// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "emu/base/bf16.hpp"
#include "ops/attention_decode/call.hpp"
#include "ops/kv_cache_append/kv_cache_append.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/row_strips/row_strips.hpp"

namespace tessera::ops::attention_decode {
namespace {

HostTensor read_if_there(const ReferenceContext& context, std::size_t operand) {
    return context.has(operand) ? context.read(operand) : HostTensor{};
}

/// The rows of the cache that a token sees.
class SeenRows {
public:
    SeenRows(const ReferenceContext& context, std::size_t tokens)
        : pages_(context.read(3), context.params<DecodeSpec>().page_size),
          positions_(context.read(4)),
          chosen_(read_if_there(context, place_of_chosen(context.read(2).format))),
          sequences_(read_if_there(context, place_of_sequences(context.read(2).format))),
          tokens_each_(std::max<std::size_t>(tokens / pages_.num_sequences(), 1)) {}

    // Returns the rows in the cache, in the order of their positions.
    [[nodiscard]] std::vector<std::size_t> of(std::size_t token) const {
        const std::size_t sequence =
            sequences_.shape.empty()
                ? token / tokens_each_
                : static_cast<std::size_t>(sequences_.as<std::int32_t>()[token]);
        std::vector<std::size_t> rows;
        for (const std::int32_t position : seen(token)) {
            rows.push_back(pages_.row(sequence, static_cast<std::size_t>(position)));
        }
        return rows;
    }

private:
    [[nodiscard]] std::vector<std::int32_t> seen(std::size_t token) const {
        const std::int32_t own = positions_.as<std::int32_t>()[token];
        std::vector<std::int32_t> positions;
        // Without a list a token sees all positions up to its own.
        if (chosen_.shape.empty()) {
            positions.resize(static_cast<std::size_t>(own) + 1);
            std::iota(positions.begin(), positions.end(), 0);
            return positions;
        }
        const std::size_t width = row_length(chosen_.shape);
        // Entries of no position, and those the token may not see, are left out.
        for (const std::int32_t entry : chosen_.as<std::int32_t>().subspan(token * width, width)) {
            if (entry >= 0 && entry <= own) {
                positions.push_back(entry);
            }
        }
        return positions;
    }

    CachePages pages_;
    HostTensor positions_;
    HostTensor chosen_;
    HostTensor sequences_;
    std::size_t tokens_each_;
};

/// Returns [latent | rope] of each position: a code times its scale is rounded to bfloat16.
std::vector<float> rows_of_cache(const ReferenceContext& context, const Extents& extents) {
    const HostTensor cache = context.read(2);
    if (!is_fp8(cache.format)) {
        return vector_of(cache);
    }
    const auto codes = cache.as<std::uint8_t>();
    const HostTensor scale_tensor = context.read(kScales);
    const auto scales = scale_tensor.as<float>();
    const std::vector<float> rope = vector_of(context.read(kRopeCache));
    const std::size_t blocks = scales_of(cache.format, extents);
    std::vector<float> rows;
    rows.reserve(codes.size() + rope.size());
    for (std::size_t position = 0; position < codes.size() / extents.latent; ++position) {
        for (std::size_t i = 0; i < extents.latent; ++i) {
            // Rounded as the kernel rounds codes times scales, since the products take bfloat16.
            const float value = fp8::value_of(codes[position * extents.latent + i]) *
                                scales[position * blocks + i / fp8::kBlock];
            rows.push_back(bf16_to_float(float_to_bf16(value)));
        }
        const auto own = rope.begin() + static_cast<std::ptrdiff_t>(position * extents.rope);
        rows.insert(rows.end(), own, own + extents.rope);
    }
    return rows;
}

double dot(const float* a, const float* b, std::size_t count) {
    return std::inner_product(a, a + count, b, 0.0);
}

void add_weighted(const float* row, double weight, std::span<double> sum) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += weight * static_cast<double>(row[i]);
    }
}

}  // namespace

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const Extents extents = extents_of(context.in(0).shape(), context.in(1).shape());
    const std::vector<float> latent = vector_of(context.read(0));
    const std::vector<float> rope = vector_of(context.read(1));
    const std::vector<float> cache = rows_of_cache(context, extents);
    const SeenRows seen(context, extents.tokens);
    const std::size_t width = extents.latent + extents.rope;
    HostTensor output = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
    // Tokens are independent of each other.
    tbb::parallel_for(std::size_t{0}, std::size_t{extents.tokens}, [&](std::size_t token) {
        const std::vector<std::size_t> rows = seen.of(token);
        for (std::size_t head = token * extents.heads; head < (token + 1) * extents.heads; ++head) {
            // Values are latents of the same rows as the keys: the cache holds both once.
            std::vector<double> sum(extents.latent);
            attention::attend(
                rows.size(), context.params<DecodeSpec>().scale,
                [&](std::size_t key) {
                    const float* row = &cache[rows[key] * width];
                    return dot(&latent[head * extents.latent], row, extents.latent) +
                           dot(&rope[head * extents.rope], row + extents.latent, extents.rope);
                },
                [&](std::size_t key, double weight) {
                    add_weighted(&cache[rows[key] * width], weight, sum);
                });
            std::transform(sum.begin(), sum.end(),
                           output.as<float>().subspan(head * extents.latent).begin(),
                           [](double value) { return static_cast<float>(value); });
        }
    });
    return list_of(std::move(output));
}

/// `cache` is asked for its shape alone: its values are those of a whole run.
void check_values(const OpSpec& spec, const ReferenceContext& context) {
    const bool has_parts = spec.inputs.size() == kFp8Inputs.size();
    const HostTensor sequences = read_if_there(context, spec.inputs.size() - 1);
    // Codes have a cache of latents alone.
    const std::uint32_t columns =
        row_length(context.in(0).shape()) + (has_parts ? 0 : row_length(context.in(1).shape()));
    check_cache_places(
        spec.name, context.read(3), context.read(4), sequences.shape.empty() ? nullptr : &sequences,
        context.params<DecodeSpec>().page_size, positions_of(context.in(2).shape(), columns));
}

}  // namespace tessera::ops::attention_decode
