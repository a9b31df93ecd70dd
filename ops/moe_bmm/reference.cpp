// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ops/host_floats.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"

namespace tessera::ops::moe_bmm {
namespace {

/// Output columns of one task: sums of a few dozen tokens stay in the host's cache. A constant, so
/// that the compiler vectorises loops over a strip.
constexpr std::uint32_t kStripColumns = 128;
using StripRow = std::array<double, kStripColumns>;

/// Rows of weights taken together, so that sums are loaded and stored once for all of them.
constexpr std::uint32_t kRowsAtOnce = 8;

struct Extents {
    std::uint32_t experts, tokens, inner, columns;
};

/// A strip of output columns of one expert.
struct Strip {
    std::uint32_t expert = 0;
    std::uint32_t first = 0;
    std::uint32_t columns = 0;
    std::uint32_t tokens = 0;
};

// Wider registers where the host has them, here and below.
[[gnu::target_clones("avx512f", "avx2", "default")]] void widen(const std::uint16_t* bf16,
                                                                StripRow& row) {
    for (std::uint32_t column = 0; column < kStripColumns; ++column) {
        row[column] = bf16_to_float(bf16[column]);
    }
}

/// Columns of a strip from element `first` on, zero beyond them.
void read_row(const HostTensor& weights, std::uint64_t first, std::uint32_t columns,
              StripRow& row) {
    if (weights.format == DataFormat::Float16_b && columns == kStripColumns) {
        widen(weights.as<std::uint16_t>().data() + first, row);
        return;
    }
    std::array<float, kStripColumns> values;
    read_floats(weights, first, std::span(values).first(columns));
    std::copy_n(values.begin(), columns, row.begin());
}

/// Rows k … of a strip's weights, zero beyond its columns and beyond the last k.
std::array<StripRow, kRowsAtOnce> weight_rows(const HostTensor& weights, const Extents& extents,
                                              const Strip& strip, std::uint32_t k) {
    std::array<StripRow, kRowsAtOnce> rows{};
    for (std::uint32_t i = 0; i < kRowsAtOnce && k + i < extents.inner; ++i) {
        const std::uint64_t row = std::uint64_t{strip.expert} * extents.inner + k + i;
        read_row(weights, row * extents.columns + strip.first, strip.columns, rows[i]);
    }
    return rows;
}

// The same sums in registers of any width, since nothing is contracted.
[[gnu::target_clones("avx512f", "avx2", "default")]] void add_products(
    const std::array<StripRow, kRowsAtOnce>& rows, const std::array<double, kRowsAtOnce>& factors,
    StripRow& sums) {
    static_assert(kRowsAtOnce == 8);
    for (std::uint32_t column = 0; column < kStripColumns; ++column) {
        sums[column] += (factors[0] * rows[0][column] + factors[1] * rows[1][column]) +
                        (factors[2] * rows[2][column] + factors[3] * rows[3][column]) +
                        ((factors[4] * rows[4][column] + factors[5] * rows[5][column]) +
                         (factors[6] * rows[6][column] + factors[7] * rows[7][column]));
    }
}

/// The sums of a strip, one row a token.
std::vector<StripRow> multiply_strip(const HostTensor& input, const HostTensor& weights,
                                     const Extents& extents, const Strip& strip) {
    std::vector<StripRow> sums(strip.tokens);
    if (strip.tokens == 0) {
        return sums;
    }
    std::vector<float> inputs(std::size_t{strip.tokens} * extents.inner);
    read_floats(input, std::uint64_t{strip.expert} * extents.tokens * extents.inner, inputs);
    for (std::uint32_t k = 0; k < extents.inner; k += kRowsAtOnce) {
        const auto rows = weight_rows(weights, extents, strip, k);
        for (std::uint32_t token = 0; token < strip.tokens; ++token) {
            const float* at = inputs.data() + std::size_t{token} * extents.inner + k;
            std::array<double, kRowsAtOnce> factors{};  // zero beyond the last k
            std::copy_n(at, std::min(kRowsAtOnce, extents.inner - k), factors.begin());
            add_products(rows, factors, sums[token]);
        }
    }
    return sums;
}

void store_strip(const std::vector<StripRow>& sums, const Extents& extents, const Strip& strip,
                 std::span<float> output) {
    for (std::uint32_t token = 0; token < strip.tokens; ++token) {
        const std::uint64_t row = std::uint64_t{strip.expert} * extents.tokens + token;
        const auto out = output.subspan(row * extents.columns + strip.first, strip.columns);
        std::transform(out.begin(), out.end(), sums[token].begin(), out.begin(),
                       [](float, double sum) { return static_cast<float>(sum); });
    }
}

}  // namespace

HostTensor reference(const HostTensor& input_hidden_state, const HostTensor& expert_weights,
                     std::span<const std::uint32_t> num_routed_tokens) {
    const Shape& in = input_hidden_state.shape;
    const Extents extents{in.at(0), in.at(1), in.at(2), expert_weights.shape.at(2)};
    HostTensor output =
        make_host_tensor({extents.experts, extents.tokens, extents.columns}, DataFormat::Float32);
    const std::uint32_t strips = (extents.columns + kStripColumns - 1) / kStripColumns;
    tbb::parallel_for(std::uint32_t{0}, extents.experts * strips, [&](std::uint32_t task) {
        const std::uint32_t expert = task / strips;
        const std::uint32_t first = task % strips * kStripColumns;
        const Strip strip{expert, first, std::min(kStripColumns, extents.columns - first),
                          num_routed_tokens[expert]};
        store_strip(multiply_strip(input_hidden_state, expert_weights, extents, strip), extents,
                    strip, output.as<float>());
    });
    return output;
}

}  // namespace tessera::ops::moe_bmm
