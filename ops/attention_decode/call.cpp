// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode/call.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/kv_cache_append/kv_cache_append.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"

namespace tessera::ops::attention_decode {

Extents extents_of(const Shape& latent, const Shape& rope) {
    const std::uint32_t heads = latent[latent.size() - 2];
    return {num_rows(latent) / heads, heads, row_length(latent), row_length(rope)};
}

std::uint32_t chosen_width(std::span<const TensorPlan> inputs) {
    const std::size_t chosen = place_of_chosen(inputs[2].spec.format);
    return is_given(inputs, chosen) ? row_length(inputs[chosen].spec.shape) : 0;
}

std::uint32_t scales_of(DataFormat cache, const Extents& extents) {
    return is_fp8(cache) ? div_up(extents.latent, fp8::kBlock) : 0;
}

// Rows that are pages of their own are aligned by the allocator. Several positions in a page are
// not, unless a position is a multiple of the alignment.
bool is_misaligned(const OpContext& context, const Extents& extents) {
    const TensorSpec& cache = context.inputs[2].spec;
    const bool has_codes = is_fp8(cache.format);
    const std::uint32_t columns = extents.latent + (has_codes ? 0 : extents.rope);
    const std::uint32_t page_size = context.params<DecodeSpec>().page_size;
    if (positions_of_row(cache.shape, columns, page_size) <= 1) {
        return false;
    }
    const std::uint32_t alignment = dram_alignment(context.arch);
    return columns * element_bytes(cache.format) % alignment != 0 ||
           (has_codes && 2 * extents.rope % alignment != 0);
}

attention::Shapes shapes_of(const OpContext& context) {
    const auto& spec = context.params<DecodeSpec>();
    const Extents extents = extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape);
    // Keys are latent and rotated part, values the latent alone: it is read once for both.
    return {
        // A misaligned row is read beside its place.
        .query_tiles = div_up(extents.latent, kTileColumns) + div_up(extents.rope, kTileColumns),
        .value_tiles = div_up(extents.latent, kTileColumns),
        .block = std::max(spec.block, 1U),
        .scale_tiles = scales_of(context.inputs[2].spec.format, extents),
        .scale = spec.scale,
        .detour_bytes = is_misaligned(context, extents)
                            ? 2 * (extents.latent + extents.rope + dram_alignment(context.arch))
                            : 0,
        .page_words = context.inputs[3].spec.shape[1],
        .chosen_words = chosen_width(context.inputs)};
}

}  // namespace tessera::ops::attention_decode
