// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_batch_tokens/moe_batch_tokens.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/moe_batch_tokens/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"

namespace tessera::ops::moe_batch_tokens {
namespace {

using config::field;
using config::Limits;

constexpr std::uint32_t kTokensAtOnce = 256;  // rows of topk_ids in L1
constexpr std::uint32_t kCountStride = 16;    // bytes: what writes are aligned to

constexpr std::array kFields{
    field<&BatchSpec::num_local_experts>("num_local_experts", config::kRequired,
                                         "experts of each device", Limits{1, 65536}),
    field<&BatchSpec::max_num_tokens>("max_num_tokens", config::kRequired,
                                      "rows that each expert has room for; choices beyond are "
                                      "dropped",
                                      Limits{1, 1048576}),
};

struct Sizes {
    std::uint32_t tokens;
    std::uint32_t top_k;
    std::uint32_t ids_page;
    std::uint32_t experts;       ///< over all devices
    std::uint32_t batch_stride;  ///< bytes of a row of token_ids in L1
};

Sizes sizes_of(const ArchSpec& arch, const Shape& ids, const Shape& map, const BatchSpec& spec) {
    // A row of token_ids is a page in DRAM, so its copy in L1 has the same alignment.
    const std::uint32_t alignment = dram_alignment(arch);
    return {ids[0], ids[1], round_up(4 * ids[1], alignment), map[0],
            round_up(4 * spec.max_num_tokens, alignment)};
}

std::vector<Scratch> scratch_of(const Sizes& sizes, const BatchSpec& spec) {
    // Ids pass through L1 in parts; the lists are whole, since a token may be appended to any of
    // them.
    const std::uint64_t rows = std::min(sizes.tokens, kTokensAtOnce);
    return {{Cb::Ids, rows * sizes.ids_page},
            {Cb::Map, std::uint64_t{4} * sizes.experts},
            {Cb::Counts, std::uint64_t{4} * spec.num_local_experts},
            {Cb::PagedCounts, std::uint64_t{kCountStride} * spec.num_local_experts},
            {Cb::Tokens, std::uint64_t{sizes.batch_stride} * spec.num_local_experts},
            {Cb::Rows, rows * sizes.ids_page}};
}

Sizes sizes_of(const OpContext& context) {
    return sizes_of(context.arch, context.inputs["topk_ids"_in].spec.shape,
                    context.inputs["expert_map"_in].spec.shape, context.params<BatchSpec>());
}

void rules(const OpContext& context, RuleJudge& judge) {
    judge_scratch(context.arch, scratch_of(sizes_of(context), context.params<BatchSpec>()),
                  "max_num_tokens", judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<BatchSpec>();
    const auto table = [](Shape shape) {
        return TensorPlan{.spec = {std::move(shape), DataFormat::Int32, Layout::ROW_MAJOR}};
    };
    // The counts go out twice: as one table, and one a page for ops that read the count of a single
    // expert.
    return {table({spec.num_local_experts}),
            table({spec.num_local_experts, spec.max_num_tokens}),
            table(context.inputs["topk_ids"_in].spec.shape),
            {.spec = {{spec.num_local_experts, 1}, DataFormat::UInt32, Layout::ROW_MAJOR}}};
}

Program make_program(const OpContext& context, std::size_t p) {
    const auto& spec = context.params<BatchSpec>();
    const auto& in = context.device_inputs;
    const auto& out = context.device_outputs;
    const Sizes sizes = sizes_of(context);
    const BatchArgs args{.num_tokens = sizes.tokens,
                         .top_k = sizes.top_k,
                         .ids_page = sizes.ids_page,
                         .num_experts = sizes.experts,
                         .num_local = spec.num_local_experts,
                         .capacity = spec.max_num_tokens,
                         .batch_stride = sizes.batch_stride,
                         .tokens_at_once = kTokensAtOnce,
                         .count_stride = kCountStride};
    const BatchTensors tensors{.ids = &in["topk_ids"_in][p].buffer,
                               .map = &in["expert_map"_in][p].buffer,
                               .counts = &out["expert_num_tokens"_out][p].buffer,
                               .tokens = &out["token_ids"_out][p].buffer,
                               .rows = &out["rows"_out][p].buffer,
                               .paged_counts = &out["num_routed_tokens"_out][p].buffer};
    // One core, because tokens are appended in ascending order. Several cores would have to count
    // all tokens before their own first one.
    return one_core_program("ops/moe_batch_tokens/kernels/batch.cpp", args, tensors,
                            scratch_of(sizes, spec), dram_alignment(context.arch));
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<BatchSpec>();
    const HostTensor ids = context.read("topk_ids"_in);
    const HostTensor map = context.read("expert_map"_in);
    const std::vector<std::int32_t> local = local_experts_of(ids, &map, map.shape[0]);
    HostTensor counts = filled_int32({spec.num_local_experts}, 0);
    HostTensor tokens = filled_int32({spec.num_local_experts, spec.max_num_tokens}, kNobody);
    HostTensor rows = filled_int32(ids.shape, kNobody);
    for (std::size_t i = 0; i < local.size(); ++i) {
        if (local[i] == kNobody) {
            continue;
        }
        const auto expert = static_cast<std::size_t>(local[i]);
        std::int32_t& count = counts.as<std::int32_t>()[expert];
        // Beyond the capacity choices are dropped; tokens with lower numbers keep their rows.
        if (static_cast<std::uint32_t>(count) == spec.max_num_tokens) {
            continue;
        }
        const std::size_t row = expert * spec.max_num_tokens + static_cast<std::size_t>(count++);
        tokens.as<std::int32_t>()[row] = static_cast<std::int32_t>(i / ids.shape[1]);
        rows.as<std::int32_t>()[i] = static_cast<std::int32_t>(row);
    }
    // The same words in another shape: a copy of the bytes is enough.
    HostTensor paged{{spec.num_local_experts, 1}, DataFormat::UInt32, counts.bytes};
    return {std::move(counts), std::move(tokens), std::move(rows), std::move(paged)};
}

void check_values(const ReferenceContext& context) {
    const NamedTable ids = named_table(kInputs, context, "topk_ids"_in);
    check_indices(kSpec.name, ids, context.in("expert_map"_in).shape()[0], Nobody::Allowed);
    // A batch has one row per token, so a second choice of the same expert would have no row.
    check_selects_once(kSpec.name, ids);
    for (const HostTensor& map : context.read_all("expert_map"_in)) {
        check_expert_map(kSpec.name, map, context.params<BatchSpec>().num_local_experts);
    }
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<BatchSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference,
                        .check_values = check_values};
    return kOp;
}

}  // namespace tessera::ops::moe_batch_tokens
