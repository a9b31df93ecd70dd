// SPDX-License-Identifier: Apache-2.0
#include "ops/batched_moe_align_block_size/batched_moe_align_block_size.hpp"

#include "emu/base/round_up.hpp"
#include "ops/batched_moe_align_block_size/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::batched_moe_align_block_size {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&BatchedAlignSpec::max_tokens_per_batch>("max_tokens_per_batch", config::kRequired,
                                                   "rows that each expert has room for",
                                                   Limits{1, 1048576}),
    field<&BatchedAlignSpec::block_size>("block_size", config::kRequired, "rows of a block",
                                         Limits{1, 128}),
};

struct Extents {
    std::uint32_t entries;
    std::uint32_t blocks;
};

Extents extents_of(std::uint32_t experts, const BatchedAlignSpec& spec) {
    // Space for full batches of all experts: only the device knows the counts.
    const std::uint32_t rows = round_up(spec.max_tokens_per_batch, spec.block_size);
    return {experts * rows, experts * (rows / spec.block_size)};
}

std::vector<Scratch> scratch_of(const Shape& counts, const BatchedAlignSpec& spec) {
    const auto experts = static_cast<std::uint32_t>(num_elements(counts));
    const Extents extents = extents_of(experts, spec);
    return {{Cb::Counts, counts_bytes(counts)},
            {Cb::Sorted, std::uint64_t{4} * extents.entries},
            {Cb::Blocks, std::uint64_t{4} * extents.blocks}};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<BatchedAlignSpec>();
    judge.require(spec.block_size >= 1 && spec.block_size <= 128, "block_size",
                  fmt::format("is {}; allowed: 1 to 128", spec.block_size));
    judge_scratch(context.arch, scratch_of(context.inputs[only(kInputs)].spec.shape, spec),
                  "expert_num_tokens", judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Extents extents =
        extents_of(context.inputs[only(kInputs)].spec.shape[0], context.params<BatchedAlignSpec>());
    const auto table = [](std::uint32_t entries) {
        return TensorPlan{.spec = {{entries}, DataFormat::Int32, Layout::ROW_MAJOR}};
    };
    return {table(extents.entries), table(extents.blocks), table(1)};
}

Program make_program(const OpContext& context, std::size_t p) {
    const auto& spec = context.params<BatchedAlignSpec>();
    const DeviceTensor& counts = context.device_inputs[only(kInputs)][p];
    const auto& out = context.device_outputs;
    const std::uint32_t experts = counts.spec.shape[0];
    const Extents extents = extents_of(experts, spec);
    const AlignArgs args{.num_experts = experts,
                         .max_tokens = spec.max_tokens_per_batch,
                         .block_size = spec.block_size,
                         .entries = extents.entries,
                         .num_blocks = extents.blocks,
                         .is_paged = is_paged(counts.spec.shape) ? 1U : 0U};
    const AlignTensors tensors{.counts = &counts.buffer,
                               .sorted = &out["sorted_token_ids"_out][p].buffer,
                               .blocks = &out["expert_ids"_out][p].buffer,
                               .total = &out["num_tokens_post_padded"_out][p].buffer};
    // One core: where an expert's blocks begin depends on all counts before, and each entry is a
    // single store.
    return one_core_program("ops/batched_moe_align_block_size/kernels/align.cpp", args, tensors,
                            scratch_of(counts.spec.shape, spec), dram_alignment(context.arch));
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<BatchedAlignSpec>();
    const HostTensor counts = context.read(only(kInputs));
    const std::uint32_t experts = counts.shape[0];
    const Extents extents = extents_of(experts, spec);
    // The pad is one beyond the last row of the last batch, which no row is.
    HostTensor sorted = filled_int32(
        {extents.entries}, static_cast<std::int32_t>(experts * spec.max_tokens_per_batch));
    HostTensor blocks = filled_int32({extents.blocks}, kNobody);
    std::uint32_t end = 0;
    for (std::uint32_t e = 0; e < experts; ++e) {
        const auto count = static_cast<std::uint32_t>(counts.as<std::int32_t>()[e]);
        for (std::uint32_t row = 0; row < count; ++row) {
            sorted.as<std::int32_t>()[end + row] =
                static_cast<std::int32_t>(e * spec.max_tokens_per_batch + row);
            blocks.as<std::int32_t>()[(end + row) / spec.block_size] = static_cast<std::int32_t>(e);
        }
        // An expert without tokens has no block, so used blocks are contiguous.
        end += round_up(count, spec.block_size);
    }
    return {std::move(sorted), std::move(blocks),
            filled_int32({1}, static_cast<std::int32_t>(end))};
}

void check_values(const ReferenceContext& context) {
    // A count beyond the room would list rows of the next expert's batch.
    const auto& spec = context.params<BatchedAlignSpec>();
    for (const HostTensor& counts : context.read_all(only(kInputs))) {
        check_indices(kSpec.name, {kInputs[only(kInputs)].name, counts},
                      std::uint64_t{spec.max_tokens_per_batch} + 1, Nobody::Forbidden);
    }
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<BatchedAlignSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference,
                        .check_values = check_values};
    return kOp;
}

}  // namespace tessera::ops::batched_moe_align_block_size
