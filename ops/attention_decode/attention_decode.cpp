// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode/attention_decode.hpp"

#include "ops/attention_decode/call.hpp"
#include "ops/kv_cache_append/kv_cache_append.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::attention_decode {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&DecodeSpec::scale>("scale", config::kRequired, "factor of scores", Limits{1e-30, 1e30}),
    field<&DecodeSpec::page_size>("page_size", "32", "positions of a page of the cache",
                                  Limits{1, 65536}),
    field<&DecodeSpec::block>("block", "4", "key tiles per block of work", Limits{1, 16}),
    field<&DecodeSpec::split>(
        "split", "0", "cores that share the keys of a token; 0: chosen from the number of keys",
        Limits{0, kMostSplit}),
    field<&DecodeSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

// Caches of codes have operands of their own: scales and the rotated part.
std::span<const Operand> operands_of(DataFormat cache) {
    return is_fp8(cache) ? std::span<const Operand>(kFp8Inputs) : kInputs;
}

void judge_lists(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const auto entries = [&](std::size_t operand) {
        return num_elements(context.inputs[operand].spec.shape);
    };
    const DataFormat cache = context.inputs[2].spec.format;
    const std::size_t chosen = place_of_chosen(cache);
    const std::size_t lists = place_of_sequences(cache);
    const auto require_one_each = [&](std::size_t operand) {
        judge.require(entries(operand) == extents.tokens, operands_of(cache)[operand].name,
                      fmt::format("has {} entries; allowed: one for each of {} tokens",
                                  entries(operand), extents.tokens));
    };
    // A position for each token, whatever sequence it belongs to.
    require_one_each(4);
    if (context.has(chosen)) {
        const std::uint32_t rows = num_rows(context.inputs[chosen].spec.shape);
        judge.require(
            rows == extents.tokens, "chosen",
            fmt::format("has {} rows; allowed: one for each of {} tokens", rows, extents.tokens));
    }
    if (context.has(lists)) {
        require_one_each(lists);
    }
    // Without a list of sequences the tokens are distributed evenly over them.
    const std::uint32_t sequences = context.inputs[3].spec.shape[0];
    judge.require(context.has(lists) || extents.tokens % sequences == 0, "page_table",
                  fmt::format("has {} sequences, which do not divide {} tokens; `sequences` can "
                              "say whose each one is",
                              sequences, extents.tokens));
}

void judge_caches(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const std::uint32_t page_size = context.params<DecodeSpec>().page_size;
    const TensorSpec& cache = context.inputs[2].spec;
    // A bfloat16 cache has latent and rotated part in one row.
    if (!is_fp8(cache.format)) {
        judge_cache_rows(kInputs[2], cache, extents.latent + extents.rope, page_size, 1, judge);
        return;
    }
    const std::uint32_t scales = scales_of(cache.format, extents);
    judge_cache_rows(kFp8Inputs[2], cache, extents.latent, page_size, 1, judge);
    judge_cache_rows(kFp8Inputs[kScales], context.inputs[kScales].spec, scales, page_size, 1,
                     judge);
    judge_cache_rows(kFp8Inputs[kRopeCache], context.inputs[kRopeCache].spec, extents.rope,
                     page_size, 1, judge);
    // 16 scales are 64 B; their place has 128 B, for a read that begins at an unaligned scale.
    constexpr std::uint32_t kMostScales = 16;  // the reader's place for those of a key
    judge.require(scales <= kMostScales, "q_latent",
                  fmt::format("has latents of {} elements; in fp8 they may have {}", extents.latent,
                              kMostScales * fp8::kBlock));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<DecodeSpec>();
    if (!judge_grid(context.arch, spec.grid, judge)) {
        return;
    }
    const Extents extents = extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape);
    // A partial tile of the latent would be a partial tile of the values, too.
    judge.require(extents.latent % kTileColumns == 0, "q_latent",
                  fmt::format("has latents of {} elements; they must be whole tiles of {}",
                              extents.latent, kTileColumns));
    judge_caches(context, extents, judge);
    judge.require(spec.scale > 0, "scale",
                  fmt::format("is {}; allowed: a positive number", spec.scale));
    judge.require(spec.page_size > 0, "page_size", "is 0; allowed: at least 1");
    judge.require(spec.block > 0, "block", "is 0; allowed: at least 1");
    // A token's keys are split over cores of the grid.
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    judge.require(spec.split <= grid.x * grid.y, "split",
                  fmt::format("is {}; the grid has {} cores", spec.split, grid.x * grid.y));
    judge_lists(context, extents, judge);
    attention::judge_buffers(context.arch, shapes_of(context), judge);
}

}  // namespace

// One op for both caches: rules and programs differ by the operands.
Op op_of(const OpSpec& spec) {
    return {.spec = spec,
            .params = parameters<DecodeSpec>(kFields),
            .rules = rules,
            .infer = like_first_input,
            .programs = programs,
            .reference = reference,
            .check_values = [&spec](const ReferenceContext& c) { check_values(spec, c); },
            .checked_inputs = {3, 4, spec.inputs.size() - 1}};
}

const Op& op() {
    static const Op kOp = op_of(kSpec);
    return kOp;
}

}  // namespace tessera::ops::attention_decode
