// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "emu/base/bf16.hpp"
#include "ops/attention_decode/call.hpp"
#include "ops/shared/attention/cache_places.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/row_strips/row_strips.hpp"

namespace tessera::ops::attention_decode {
namespace {

HostTensor read_if_there(const ReferenceContext& context, std::size_t operand) {
    return context.has(operand) ? context.read(operand) : HostTensor{};
}

/// The cache rows that a token attends to.
class SeenRows {
public:
    SeenRows(const ReferenceContext& context, DataFormat cache, std::size_t tokens)
        : pages_(context.read(kPageTable), context.params<DecodeSpec>().page_size),
          positions_(context.read(kPositions)),
          chosen_(read_if_there(context, place_of_chosen(cache))),
          sequences_(read_if_there(context, place_of_sequences(cache))),
          window_(context.params<DecodeSpec>().window),
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
        const std::int64_t first =
            window_ == 0 ? 0 : std::max<std::int64_t>(0, std::int64_t{own} + 1 - window_);
        std::vector<std::int32_t> positions;
        // Without a list, a token attends to all positions up to its own.
        if (chosen_.shape.empty()) {
            positions.resize(static_cast<std::size_t>(own + 1 - first));
            std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(first));
            return positions;
        }
        const std::size_t width = row_length(chosen_.shape);
        // Entries without a position, and positions that the token may not attend to, are skipped.
        for (const std::int32_t entry : chosen_.as<std::int32_t>().subspan(token * width, width)) {
            if (entry >= first && entry <= own) {
                positions.push_back(entry);
            }
        }
        return positions;
    }

    CachePages pages_;
    HostTensor positions_;
    HostTensor chosen_;
    HostTensor sequences_;
    std::uint32_t window_;
    std::size_t tokens_each_;
};

/// Returns [latent | rope] of each position: a code times its scale is rounded to bfloat16.
std::vector<float> rows_of_cache(const ReferenceContext& context, const Extents& extents) {
    const HostTensor cache = context.read(kCache);
    if (!is_fp8(cache.format)) {
        return floats_of(cache);
    }
    const auto codes = cache.as<std::uint8_t>();
    const HostTensor scale_tensor = context.read(kScales);
    const auto scales = scale_tensor.as<float>();
    const std::vector<float> rope = floats_of(context.read(kRopeCache));
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

namespace {

/// Queries, keys and values of a call, as heads of a row of the cache.
struct Operands {
    Extents extents;
    std::vector<float> latent;
    std::vector<float> rope;
    std::vector<float> keys;
    std::vector<float> values;  ///< empty: the latents
    std::vector<float> sinks;   ///< per head; empty: none

    [[nodiscard]] std::size_t key_row(std::size_t head, std::size_t row) const {
        return row * extents.groups().kv_heads + head % extents.heads / extents.groups().group();
    }
    [[nodiscard]] double score(std::size_t head, std::size_t row) const {
        const std::size_t width = extents.latent + extents.rope;
        const float* key = &keys[key_row(head, row) * width];
        return dot(&latent[head * extents.latent], key, extents.latent) +
               (rope.empty() ? 0
                             : dot(&rope[head * extents.rope], key + extents.latent, extents.rope));
    }
    [[nodiscard]] const float* value(std::size_t head, std::size_t row) const {
        return values.empty() ? &keys[row * (extents.latent + extents.rope)]
                              : &values[key_row(head, row) * extents.value];
    }
    [[nodiscard]] std::optional<double> sink(std::size_t head) const {
        return sinks.empty() ? std::nullopt : std::optional<double>(sinks[head % extents.heads]);
    }
};

Operands operands_of(const ReferenceContext& context, DataFormat cache) {
    const Extents extents = extents_of(context, cache);
    const auto read = [&](bool is_there, std::size_t operand) {
        return is_there ? floats_of(context.read(operand)) : std::vector<float>{};
    };
    return {.extents = extents,
            .latent = read(true, kQuery),
            .rope = read(extents.rope != 0, kRope),
            .keys = rows_of_cache(context, extents),
            .values = read(extents.has_kv_heads(), kValues),
            .sinks = read(extents.has_kv_heads() && context.has(kSinks), kSinks)};
}

}  // namespace

std::vector<HostTensor> reference(const OpSpec& spec, const ReferenceContext& context) {
    const DataFormat cache = cache_format(spec);
    const Operands operands = operands_of(context, cache);
    const Extents& extents = operands.extents;
    const SeenRows seen(context, cache, extents.tokens);
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    // Tokens are independent of each other.
    tbb::parallel_for(std::size_t{0}, std::size_t{extents.tokens}, [&](std::size_t token) {
        const std::vector<std::size_t> rows = seen.of(token);
        for (std::size_t head = token * extents.heads; head < (token + 1) * extents.heads; ++head) {
            std::vector<double> sum(extents.value);
            attention::attend(
                rows.size(), context.params<DecodeSpec>().scale,
                [&](std::size_t key) { return operands.score(head, rows[key]); },
                [&](std::size_t key, double weight) {
                    add_weighted(operands.value(head, rows[key]), weight, sum);
                },
                operands.sink(head));
            std::transform(sum.begin(), sum.end(),
                           output.as<float>().subspan(head * extents.value).begin(),
                           [](double value) { return static_cast<float>(value); });
        }
    });
    return list_of(std::move(output));
}

/// `cache` is asked for its shape alone: its values are those of a whole run.
void check_values(const OpSpec& spec, const ReferenceContext& context) {
    const auto& params = context.params<DecodeSpec>();
    const DataFormat cache = cache_format(spec);
    const Extents extents = extents_of(context, cache);
    const HostTensor sequences = read_if_there(context, place_of_sequences(cache));
    const std::uint32_t columns = is_fp8(cache) ? extents.latent : extents.cache_columns();
    check_cache_places(spec.name,
                       {.page_table = context.read(kPageTable),
                        .positions = context.read(kPositions),
                        .sequences = sequences,
                        .page_size = params.page_size,
                        .cache_positions = positions_of(context.in(kCache).shape(), columns),
                        .window = params.window});
}

}  // namespace tessera::ops::attention_decode
