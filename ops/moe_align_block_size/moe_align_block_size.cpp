// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_align_block_size/moe_align_block_size.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/moe_align_block_size/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"

namespace tessera::ops::moe_align_block_size {
namespace {

using config::field;
using config::Limits;

constexpr std::uint32_t kTokensAtOnce = 512;  // rows of topk_ids in L1

constexpr std::array kFields{
    field<&AlignSpec::block_size>("block_size", config::kRequired, "rows of a block",
                                  Limits{1, 128}),
    field<&AlignSpec::num_experts>("num_experts", config::kRequired, "experts over all devices",
                                   Limits{1, 65536}),
    field<&AlignSpec::ignore_invalid_experts>(
        "ignore_invalid_experts", "false",
        "leaves out choices of experts on other devices; else their blocks have expert -1"),
    field<&AlignSpec::pad_sorted_ids>("pad_sorted_ids", "false",
                                      "rounds the extent of the list up to whole blocks"),
};

struct Sizes {
    std::uint32_t tokens;
    std::uint32_t top_k;
    std::uint32_t ids_page;
    AlignedExtents extents;
};

Sizes sizes_of(const ArchSpec& arch, const Shape& ids, const AlignSpec& spec) {
    return {ids[0], ids[1], round_up(4 * ids[1], dram_alignment(arch)),
            extents_of(num_elements(ids), spec)};
}

std::vector<Scratch> scratch_of(const Sizes& sizes, const AlignSpec& spec) {
    // Ids pass through L1 in parts, so it does not limit the number of tokens. The whole list is in
    // L1, because choices go to positions all over it.
    const std::uint64_t rows = std::min(sizes.tokens, kTokensAtOnce);
    return {{Cb::Ids, rows * sizes.ids_page},
            {Cb::Map, std::uint64_t{4} * spec.num_experts},
            {Cb::Experts, std::uint64_t{4} * spec.num_experts},
            {Cb::Sorted, std::uint64_t{4} * sizes.extents.entries},
            {Cb::Blocks, std::uint64_t{4} * sizes.extents.blocks},
            {Cb::Rows, rows * sizes.ids_page}};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<AlignSpec>();
    judge.require(spec.block_size >= 1 && spec.block_size <= 128, "block_size",
                  fmt::format("is {}; allowed: 1 to 128", spec.block_size));
    if (context.has("expert_map"_in)) {
        const std::uint32_t mapped = context.inputs["expert_map"_in].spec.shape[0];
        judge.require(mapped == spec.num_experts, "expert_map",
                      fmt::format("has {} entries; allowed: one for each of {} experts", mapped,
                                  spec.num_experts));
    }
    const auto scratch =
        scratch_of(sizes_of(context.arch, context.inputs["topk_ids"_in].spec.shape, spec), spec);
    judge_scratch(context.arch, scratch, "topk_ids", judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Shape& ids = context.inputs["topk_ids"_in].spec.shape;
    const AlignedExtents extents = extents_of(num_elements(ids), context.params<AlignSpec>());
    const auto table = [](Shape shape) {
        return TensorPlan{.spec = {std::move(shape), DataFormat::Int32, Layout::ROW_MAJOR}};
    };
    // Both tables have the size of the worst case, because only the device knows the counts.
    return {table({extents.entries}), table({extents.blocks}), table({1}), table(ids)};
}

Program make_program(const OpContext& context, std::size_t p) {
    const auto& spec = context.params<AlignSpec>();
    const auto& in = context.device_inputs;
    const auto& out = context.device_outputs;
    const Sizes sizes = sizes_of(context.arch, in["topk_ids"_in][p].spec.shape, spec);
    const AlignTensors tensors{
        .ids = &in["topk_ids"_in][p].buffer,
        .map = is_given(in, "expert_map"_in) ? &in["expert_map"_in][p].buffer : nullptr,
        .sorted = &out["sorted_token_ids"_out][p].buffer,
        .blocks = &out["expert_ids"_out][p].buffer,
        .total = &out["num_tokens_post_padded"_out][p].buffer,
        .rows = &out["rows"_out][p].buffer,
        .count = is_given(in, "num_tokens"_in) ? &in["num_tokens"_in][p].buffer : nullptr};
    const AlignArgs args{.num_tokens = sizes.tokens,
                         .top_k = sizes.top_k,
                         .ids_page = sizes.ids_page,
                         .num_experts = spec.num_experts,
                         .block_size = spec.block_size,
                         .entries = sizes.extents.entries,
                         .num_blocks = sizes.extents.blocks,
                         .has_map = tensors.map != nullptr ? 1U : 0U,
                         .ignores_invalid = spec.ignore_invalid_experts ? 1U : 0U,
                         .tokens_at_once = kTokensAtOnce,
                         .has_count = tensors.count != nullptr ? 1U : 0U};
    // One core: a choice's place depends on the counts of all experts before its own.
    return one_core_program("ops/moe_align_block_size/kernels/align.cpp", args, tensors,
                            scratch_of(sizes, spec), dram_alignment(context.arch));
}

/// A listed choice and its expert.
struct Choice {
    std::int32_t index = 0;
    std::int32_t local_expert = 0;
};

std::vector<std::vector<Choice>> choices_by_expert(const HostTensor& ids, const HostTensor* map,
                                                   const AlignSpec& spec, std::size_t num_choices) {
    const std::vector<std::int32_t> local = local_experts_of(ids, map, spec.num_experts);
    std::vector<std::vector<Choice>> choices(spec.num_experts);
    const auto global = ids.as<std::int32_t>();
    for (std::size_t i = 0; i < std::min(local.size(), num_choices); ++i) {
        // Like in vLLM's kernel, ids beyond the experts take no place.
        const bool is_expert =
            global[i] >= 0 && static_cast<std::uint32_t>(global[i]) < spec.num_experts;
        if (is_expert && (local[i] != kNobody || !spec.ignore_invalid_experts)) {
            choices[static_cast<std::size_t>(global[i])].push_back(
                {static_cast<std::int32_t>(i), local[i]});
        }
    }
    return choices;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<AlignSpec>();
    const HostTensor ids = context.read("topk_ids"_in);
    const std::optional<HostTensor> map =
        context.has("expert_map"_in) ? std::optional(context.read("expert_map"_in)) : std::nullopt;
    const AlignedExtents extents = extents_of(num_elements(ids.shape), spec);
    // The pad is the number of choices, an index that no choice has, as in vLLM.
    HostTensor sorted =
        filled_int32({extents.entries}, static_cast<std::int32_t>(num_elements(ids.shape)));
    HostTensor blocks = filled_int32({extents.blocks}, kNobody);
    HostTensor rows = filled_int32(ids.shape, kNobody);
    std::uint32_t end = 0;
    const std::size_t tokens = context.has("num_tokens"_in)
                                   ? context.read("num_tokens"_in).as<std::uint32_t>()[0]
                                   : ids.shape[0];
    for (const auto& choices :
         choices_by_expert(ids, map ? &*map : nullptr, spec, tokens * ids.shape[1])) {
        for (std::size_t i = 0; i < choices.size(); ++i) {
            const auto [index, local] = choices[i];
            sorted.as<std::int32_t>()[end + i] = index;
            blocks.as<std::int32_t>()[(end + i) / spec.block_size] = local;
            rows.as<std::int32_t>()[static_cast<std::size_t>(index)] =
                local == kNobody ? kNobody : static_cast<std::int32_t>(end + i);
        }
        // Each expert begins a new block, so that a block uses the weights of one expert.
        end += round_up(static_cast<std::uint32_t>(choices.size()), spec.block_size);
    }
    return {std::move(sorted), std::move(blocks), filled_int32({1}, static_cast<std::int32_t>(end)),
            std::move(rows)};
}

void check_values(const ReferenceContext& context) {
    // An id from num_experts on selects no expert, as in vLLM's kernel.
    constexpr std::uint64_t kAnyId = std::uint64_t{INT32_MAX} + 1;
    std::uint64_t tokens = context.in("topk_ids"_in).shape()[0];
    if (context.has("num_tokens"_in)) {
        const NamedTable given = named_table(kInputs, context, "num_tokens"_in);
        // A count: 0 to all tokens.
        check_indices(kSpec.name, given, tokens + 1, Nobody::Forbidden);
        tokens = given.values.as<std::uint32_t>()[0];
    }
    check_indices(kSpec.name, named_table(kInputs, context, "topk_ids"_in), kAnyId, Nobody::Allowed,
                  tokens);
    for (const auto& map : context.has("expert_map"_in) ? context.read_all("expert_map"_in)
                                                        : std::vector<HostTensor>()) {
        check_expert_map(kSpec.name, map, context.params<AlignSpec>().num_experts);
    }
}

}  // namespace

AlignedExtents extents_of(std::uint64_t num_choices, const AlignSpec& spec) {
    // vLLM's bounds: an expert leaves at most block_size - 1 entries unused, and with fewer choices
    // than experts each choice starts at most one block.
    const std::uint64_t padded =
        num_choices + std::uint64_t{spec.num_experts} * (spec.block_size - 1);
    std::uint64_t entries =
        num_choices < spec.num_experts ? std::min(padded, num_choices * spec.block_size) : padded;
    if (spec.pad_sorted_ids) {
        entries = round_up(entries, spec.block_size);
    }
    return {static_cast<std::uint32_t>(entries),
            static_cast<std::uint32_t>(div_up(entries, spec.block_size))};
}

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<AlignSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference,
                        .check_values = check_values};
    return kOp;
}

}  // namespace tessera::ops::moe_align_block_size
