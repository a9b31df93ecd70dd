// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode/attention_decode.hpp"

#include "ops/attention_decode/call.hpp"
#include "ops/shared/attention/cache_places.hpp"
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
    field<&DecodeSpec::kv_heads>("kv_heads", "1", "heads of keys and values; 1 for latents",
                                 Limits{1, 65536}),
    field<&DecodeSpec::window>("window", "0",
                               "positions that a token sees, including its own; 0: all",
                               Limits{0, 4294967295.0}),
    field<&DecodeSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&DecodeSpec::merge>("merge", "tree",
                              "cores that share a token's keys add their sums in pairs (tree), or "
                              "the first one adds those of all (leader)"),
};

// Caches of codes have operands of their own: scales and the rotated part.
std::span<const Operand> operands_of(DataFormat cache) {
    return is_fp8(cache) ? std::span<const Operand>(kFp8Inputs) : kInputs;
}

void judge_lists(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const auto entries = [&](std::size_t operand) {
        return num_elements(context.inputs[operand].spec.shape);
    };
    const DataFormat cache = context.inputs[kCache].spec.format;
    const std::size_t chosen = place_of_chosen(cache);
    const std::size_t lists = place_of_sequences(cache);
    const auto require_one_each = [&](std::size_t operand) {
        judge.require(entries(operand) == extents.tokens, operands_of(cache)[operand].name,
                      fmt::format("has {} entries; allowed: one for each of {} tokens",
                                  entries(operand), extents.tokens));
    };
    // A position for each token, whatever sequence it belongs to.
    require_one_each(kPositions);
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
    const std::uint32_t sequences = context.inputs[kPageTable].spec.shape[0];
    judge.require(context.has(lists) || extents.tokens % sequences == 0, "page_table",
                  fmt::format("has {} sequences; allowed: a divisor of {} tokens; `sequences` can "
                              "state the sequence of each token",
                              sequences, extents.tokens));
}

void judge_caches(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const std::uint32_t page_size = context.params<DecodeSpec>().page_size;
    const TensorSpec& cache = context.inputs[kCache].spec;
    if (extents.has_kv_heads()) {
        attention::judge_head_caches(
            context.arch,
            {.keys = {&kInputs[kCache], &cache, extents.latent},
             .values = {&kInputs[kValues], &context.inputs[kValues].spec, extents.value},
             .kv_heads = extents.kv_heads,
             .page_size = page_size},
            judge);
        return;
    }
    // A bfloat16 cache has latent and rotated part in one row.
    if (!is_fp8(cache.format)) {
        judge_cache_rows(kInputs[kCache], cache,
                         {.columns = extents.cache_columns(), .page_size = page_size}, 1, judge);
        return;
    }
    const std::uint32_t scales = scales_of(cache.format, extents);
    const auto judge_part = [&](std::size_t place, std::uint32_t columns) {
        judge_cache_rows(kFp8Inputs[place], context.inputs[place].spec,
                         {.columns = columns, .page_size = page_size}, 1, judge);
    };
    judge_part(kCache, extents.latent);
    judge_part(kScales, scales);
    judge_part(kRopeCache, extents.rope);
    constexpr std::uint32_t kMostScales = 16;  // the reader's place for those of a key
    judge.require(scales <= kMostScales, "query",
                  fmt::format("has latents of {} elements; allowed in fp8: up to {}",
                              extents.latent, kMostScales * fp8::kBlock));
}

/// Checks the operands and parameters that differ between latents and heads of keys and values.
void judge_forms(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const auto& spec = context.params<DecodeSpec>();
    attention::judge_heads({extents.heads, spec.kv_heads}, spec.window, extents.has_kv_heads(),
                           judge);
    const bool has_sinks = !is_fp8(context.inputs[kCache].spec.format) && context.has(kSinks);
    if (extents.has_kv_heads()) {
        judge.require(extents.rope == 0, "q_rope",
                      "is given with `values`; allowed: queries that contain their rotated part");
        if (has_sinks) {
            attention::judge_sinks(context.inputs[kSinks].spec.shape, extents.heads, judge);
        }
        return;
    }
    judge.require(extents.rope != 0, "q_rope", "is missing; allowed: left out with `values` only");
    judge.require(!has_sinks, "sinks", "are given without `values`, which they need");
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<DecodeSpec>();
    if (!judge_grid(context.arch, spec.grid, judge)) {
        return;
    }
    const Extents extents = extents_of(context);
    judge_forms(context, extents, judge);
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

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[kQuery].spec;
    output.shape.back() = std::max(extents_of(context).value, 1U);
    return {{.spec = output}};
}

}  // namespace

// One op for both caches: rules and programs differ by the operands.
Op op_of(const OpSpec& spec) {
    return {.spec = spec,
            .params = parameters<DecodeSpec>(kFields),
            .rules = rules,
            .infer = infer,
            .programs = programs,
            .bound = [&spec](const BoundContext& c) { return work_of(spec, c); },
            .reference = [&spec](const ReferenceContext& c) { return reference(spec, c); },
            .check_values = [&spec](const ReferenceContext& c) { check_values(spec, c); },
            .checked_inputs = {kPageTable, kPositions, place_of_sequences(cache_format(spec))}};
}

const Op& op() {
    static const Op kOp = op_of(kSpec);
    return kOp;
}

}  // namespace tessera::ops::attention_decode
