// SPDX-License-Identifier: Apache-2.0
// Least work of a call: each key that a token of a sequence sees is read once.
#include <algorithm>
#include <numeric>

#include "ops/attention_decode/call.hpp"
#include "ops/bound.hpp"

namespace tessera::ops::attention_decode {
namespace {

/// Returns how many keys each token attends to.
std::vector<double> visible_keys(const BoundContext& context) {
    const DataFormat cache = context.in(kCache).format;
    const std::size_t chosen = place_of_chosen(cache);
    const std::uint32_t window = context.params<DecodeSpec>().window;
    std::vector<double> visible;
    for (const std::int32_t position : context.integers(kPositions)) {
        const double seen = std::max(position + 1.0, 0.0);
        visible.push_back(window == 0 ? seen : std::min<double>(seen, window));
    }
    if (!context.has(chosen)) {
        return visible;
    }
    const std::vector<std::int32_t> lists = context.integers(chosen);
    const std::size_t width = lists.size() / visible.size();
    for (std::size_t token = 0; token < visible.size(); ++token) {
        const auto list = std::span(lists).subspan(token * width, width);
        const auto present = std::ranges::count_if(list, [](std::int32_t k) { return k >= 0; });
        visible[token] = std::min(visible[token], static_cast<double>(present));
    }
    return visible;
}

/// Returns the bytes of the keys and values of a position.
double bytes_of_position(const Extents& extents, DataFormat cache) {
    if (is_fp8(cache)) {
        return bytes_of_elements(extents.latent, cache) +
               bytes_of_elements(scales_of(cache, extents), DataFormat::Float32) +
               bytes_of_elements(extents.rope, DataFormat::Float16_b);
    }
    const double values = extents.has_kv_heads() ? double{1} * extents.kv_heads * extents.value : 0;
    return bytes_of_elements(extents.cache_columns() + values, cache);
}

}  // namespace

LeastWork work_of(const OpSpec& spec, const BoundContext& context) {
    const DataFormat cache = cache_format(spec);
    const Extents extents = extents_of(ReferenceContext{.parameters = context.parameters,
                                                        .position = context.position,
                                                        .inputs = context.inputs,
                                                        .outputs = context.output_plans},
                                       cache);
    const std::vector<double> visible = visible_keys(context);
    const std::size_t lists = place_of_sequences(cache);
    const std::vector<std::int32_t> sequences =
        context.has(lists) ? context.integers(lists) : std::vector<std::int32_t>{};
    const std::uint32_t num_sequences = context.in(kPageTable).shape[0];
    // Tokens of a sequence may share what they read: the one that sees most counts.
    std::vector<double> read(num_sequences);
    for (std::size_t token = 0; token < visible.size(); ++token) {
        const std::size_t sequence = sequences.empty() ? token * num_sequences / visible.size()
                                                       : static_cast<std::size_t>(sequences[token]);
        if (sequence < read.size()) {
            read[sequence] = std::max(read[sequence], visible[token]);
        }
    }
    const double keys = std::accumulate(read.begin(), read.end(), 0.0);
    const double scores = std::accumulate(visible.begin(), visible.end(), 0.0) * extents.heads;
    LeastWork work = operand_bytes(context, {"cache", "cache_scale", "rope_cache", "values",
                                             "page_table", "chosen", "sequences"});
    work.dram_bytes += keys * bytes_of_position(extents, cache);
    work.products = scores * (extents.latent + extents.rope + extents.value);
    work.vector_ops = scores;
    return work;
}

}  // namespace tessera::ops::attention_decode
