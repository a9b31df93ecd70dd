// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode/call.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/attention/cache_places.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"

namespace tessera::ops::attention_decode {

namespace {

/// `shape` gives the shape of each input that `context` has.
template <class Context, class ShapeOf>
Extents extents_from(const Context& context, DataFormat cache, const ShapeOf& shape) {
    const std::uint32_t heads = shape(kQuery)[shape(kQuery).size() - 2];
    const std::uint32_t latent = row_length(shape(kQuery));
    const bool has_values = !is_fp8(cache) && context.has(kValues);
    const auto& spec = context.template params<DecodeSpec>();
    return {
        .tokens = num_rows(shape(kQuery)) / heads,
        .heads = heads,
        .latent = latent,
        .rope = context.has(kRope) ? row_length(shape(kRope)) : 0,
        .kv_heads = has_values ? std::max(spec.kv_heads, 1U) : 0,
        .value = has_values ? attention::value_dim(shape(kCache), shape(kValues), latent) : latent};
}

}  // namespace

DataFormat cache_format(const OpSpec& spec) {
    return spec.inputs[kCache].format == kFp8Inputs[kCache].format ? DataFormat::Fp8_e4m3
                                                                   : DataFormat::Float16_b;
}

Extents extents_of(const OpContext& context) {
    return extents_from(
        context, context.inputs[kCache].spec.format,
        [&](std::size_t i) -> const Shape& { return context.inputs[i].spec.shape; });
}

Extents extents_of(const ReferenceContext& context, DataFormat cache) {
    return extents_from(context, cache,
                        [&](std::size_t i) -> const Shape& { return context.in(i).shape(); });
}

std::uint32_t chosen_width(std::span<const TensorPlan> inputs) {
    const std::size_t chosen = place_of_chosen(inputs["cache"_in].spec.format);
    return is_given(inputs, chosen) ? row_length(inputs[chosen].spec.shape) : 0;
}

std::uint32_t scales_of(DataFormat cache, const Extents& extents) {
    return is_fp8(cache) ? div_up(extents.latent, fp8::kBlock) : 0;
}

// Rows that are pages of their own are aligned by the allocator. Several positions in a page are
// not, unless a position is a multiple of the alignment. The rotated part of a query has a page of
// its own and follows the latent in L1.
bool is_misaligned(const OpContext& context, const Extents& extents) {
    if (extents.has_kv_heads()) {
        return false;  // a rule refuses it
    }
    const TensorSpec& cache = context.inputs[kCache].spec;
    const bool has_codes = is_fp8(cache.format);
    const std::uint32_t columns = has_codes ? extents.latent : extents.cache_columns();
    const std::uint32_t page_size = context.params<DecodeSpec>().page_size;
    const std::uint32_t alignment = dram_alignment(context.arch);
    // Rows of codes begin at whole tiles in L1.
    const std::uint32_t codes_pitch = round_up(extents.latent, kTileColumns);
    if (2 * extents.latent % alignment != 0 || (has_codes && codes_pitch % alignment != 0)) {
        return true;
    }
    if (positions_of_row(cache.shape, columns, page_size) <= 1) {
        return false;
    }
    return columns * element_bytes(cache.format) % alignment != 0 ||
           (has_codes && 2 * extents.rope % alignment != 0);
}

attention::Shapes shapes_of(const OpContext& context) {
    const auto& spec = context.params<DecodeSpec>();
    const Extents extents = extents_of(context);
    return {
        // A misaligned row is read to a separate buffer and moved.
        .query_tiles = div_up(extents.latent, kTileColumns) + div_up(extents.rope, kTileColumns),
        .value_tiles = div_up(extents.value, kTileColumns),
        .block = std::max(spec.block, 1U),
        .has_values = extents.has_kv_heads(),
        .scale_tiles = scales_of(context.inputs[kCache].spec.format, extents),
        .scale = spec.scale,
        .detour_bytes = is_misaligned(context, extents)
                            ? 2 * (extents.latent + extents.rope + dram_alignment(context.arch))
                            : 0,
        .page_words = context.inputs[kPageTable].spec.shape[1],
        .chosen_words = chosen_width(context.inputs),
        .has_kv_heads = extents.has_kv_heads(),
        .sink_bytes = extents.has_kv_heads() && context.has(kSinks) ? 2 * extents.heads : 0};
}

}  // namespace tessera::ops::attention_decode
