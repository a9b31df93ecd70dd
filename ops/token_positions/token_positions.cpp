// SPDX-License-Identifier: Apache-2.0
#include "ops/token_positions/token_positions.hpp"

#include <limits>

#include "ops/bound.hpp"
#include "ops/shared/attention/cache_places.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/token_positions/kernels/args.hpp"

namespace tessera::ops::token_positions {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&PositionsSpec::tokens>("tokens", config::kRequired,
                                  "rows of all sequences; those behind the last are padding",
                                  Limits{1, 1048576}),
    field<&PositionsSpec::page_size>("page_size", "32", "positions of a page, of page_table",
                                     Limits{1, 65536}),
    field<&PositionsSpec::cache_pages>("cache_pages", "0",
                                       "pages of the caches, which page_table may name; 0: unknown",
                                       Limits{0, 4294967295.0}),
    field<&PositionsSpec::window>("window", "0",
                                  "positions that a token needs, including its own; 0: all",
                                  Limits{0, 4294967295.0}),
};

std::uint32_t num_sequences(const OpContext& context) {
    return context.inputs["context_lens"_in].spec.shape[0];
}

std::vector<Scratch> scratch_of(const OpContext& context) {
    const std::uint64_t each_token = std::uint64_t{4} * context.params<PositionsSpec>().tokens;
    const std::uint64_t each_sequence = std::uint64_t{4} * num_sequences(context);
    return {{Cb::Contexts, each_sequence},
            {Cb::Queries, each_sequence},
            {Cb::Positions, each_token},
            {Cb::Sequences, each_token},
            {Cb::Starts, each_sequence}};
}

void rules(const OpContext& context, RuleJudge& judge) {
    judge.require(context.params<PositionsSpec>().tokens > 0, "tokens",
                  "is 0; allowed: at least 1");
    judge.require(context.params<PositionsSpec>().page_size > 0, "page_size",
                  "is 0; allowed: at least 1");
    judge_scratch(context.arch, scratch_of(context), "tokens", judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const std::uint32_t tokens = std::max(context.params<PositionsSpec>().tokens, 1U);
    const auto table = [](std::uint32_t entries) {
        return TensorPlan{.spec = {{entries}, DataFormat::Int32, Layout::ROW_MAJOR}};
    };
    return {table(tokens), table(tokens), table(num_sequences(context))};
}

// One core: the start of a sequence is the sum of all lengths before it.
Program make_program(const OpContext& context, std::size_t p) {
    const auto& in = context.device_inputs;
    const auto& out = context.device_outputs;
    const PositionsArgs args{.tokens = context.params<PositionsSpec>().tokens,
                             .sequences = num_sequences(context)};
    const PositionsTensors tensors{.contexts = &in["context_lens"_in][p].buffer,
                                   .queries = &in["query_lens"_in][p].buffer,
                                   .positions = &out["positions"_out][p].buffer,
                                   .sequence_ids = &out["sequences"_out][p].buffer,
                                   .starts = &out["starts"_out][p].buffer};
    return one_core_program("ops/token_positions/kernels/positions.cpp", args, tensors,
                            scratch_of(context), dram_alignment(context.arch));
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::uint32_t tokens = context.params<PositionsSpec>().tokens;
    const HostTensor contexts = context.read("context_lens"_in);
    const HostTensor queries = context.read("query_lens"_in);
    const std::uint32_t sequences = contexts.shape[0];
    HostTensor positions = filled_int32({tokens}, kNobody);
    // Padding gets the number of the last sequence: ops that take lists of sequences allow valid
    // numbers only.
    HostTensor owners = filled_int32({tokens}, static_cast<std::int32_t>(sequences) - 1);
    HostTensor starts = filled_int32({sequences}, 0);
    std::size_t token = 0;
    for (std::size_t s = 0; s < sequences; ++s) {
        starts.as<std::int32_t>()[s] = static_cast<std::int32_t>(token);
        for (std::int32_t i = 0; i < queries.as<std::int32_t>()[s]; ++i, ++token) {
            positions.as<std::int32_t>()[token] = contexts.as<std::int32_t>()[s] + i;
            owners.as<std::int32_t>()[token] = static_cast<std::int32_t>(s);
        }
    }
    return list_of(std::move(positions), std::move(owners), std::move(starts));
}

void check_values(const ReferenceContext& context) {
    const HostTensor contexts = context.read("context_lens"_in);
    const HostTensor queries = context.read("query_lens"_in);
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < contexts.shape[0]; ++s) {
        const std::int32_t before = contexts.as<std::int32_t>()[s];
        const std::int32_t own = queries.as<std::int32_t>()[s];
        require(before >= 0, "token_positions: context_lens[{}] is {}; allowed: 0 or more", s,
                before);
        require(own >= 0, "token_positions: query_lens[{}] is {}; allowed: 0 or more", s, own);
        sum += own;
    }
    const std::uint32_t tokens = context.params<PositionsSpec>().tokens;
    require(sum <= tokens, "token_positions: query_lens sum to {}; allowed: up to {}, the tokens",
            sum, tokens);
    if (!context.has("page_table"_in)) {
        return;
    }
    std::vector<HostTensor> tables = reference(context);
    const auto& spec = context.params<PositionsSpec>();
    const std::uint32_t positions = spec.cache_pages != 0
                                        ? spec.cache_pages * spec.page_size
                                        : std::numeric_limits<std::uint32_t>::max();
    check_cache_places(kSpec.name, {.page_table = context.read("page_table"_in),
                                    .positions = std::move(tables["positions"_out]),
                                    .sequences = std::move(tables["sequences"_out]),
                                    .page_size = spec.page_size,
                                    .cache_positions = positions,
                                    .window = spec.window});
}

LeastWork bound(const BoundContext& context) {
    return operand_bytes(context, {"page_table"});
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<PositionsSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference,
                        .check_values = check_values};
    return kOp;
}

}  // namespace tessera::ops::token_positions
