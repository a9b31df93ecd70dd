// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_bmm/expert_reference.hpp"

#include <algorithm>
#include <array>

#include "emu/base/round_up.hpp"
#include "ops/moe_bmm/strip_products.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::moe_bmm {
namespace {

/// Rows of weights taken together: widened, those of a strip fit the host's first cache.
constexpr std::uint32_t kRowsAtOnce = 128;

using StripRows = std::array<double, kRowsAtOnce * kStripColumns>;

std::size_t strips_of(const ColumnRange& columns) {
    return div_up(columns.count, kStripColumns);
}

/// Reads the columns of a strip of `rows` rows from element `first` on, zero beyond them.
void read_strip(const HostTensor& weights, std::uint64_t first, std::uint32_t rows,
                std::size_t columns, StripRows& out) {
    const std::size_t row_size = weights.shape.back();
    // The usual case has a vector path: bfloat16 and a full strip.
    if (weights.format == DataFormat::Float16_b && columns == kStripColumns) {
        widen_strip(weights.as<std::uint16_t>().data() + first, row_size, rows, out.data());
        return;
    }
    std::array<float, kStripColumns> values{};
    for (std::uint32_t row = 0; row < rows; ++row) {
        read_floats(weights, first + row * row_size, std::span(values).first(columns));
        std::ranges::copy(values, out.begin() + row * std::ptrdiff_t{kStripColumns});
    }
}

}  // namespace

// Inputs are widened once; each weight meets all tokens of the expert.
ExpertReference::ExpertReference(const HostTensor& input, std::uint32_t expert,
                                 std::uint32_t tokens, ColumnRange columns)
    : tokens_(tokens),
      columns_(columns),
      inner_(input.shape.at(2)),
      inputs_(tokens * inner_),
      sums_(strips_of(columns) * tokens * kStripColumns) {
    std::vector<float> values(inputs_.size());
    read_floats(input, std::uint64_t{expert} * input.shape[1] * inner_, values);
    std::ranges::copy(values, inputs_.begin());
}

void ExpertReference::add(const HostTensor& weights, std::uint64_t first, std::uint32_t k,
                          std::uint32_t count) {
    StripRows rows;
    // Without tokens there is nothing to add, and the weights are not read.
    for (std::uint32_t done = 0; done < count && tokens_ != 0; done += kRowsAtOnce) {
        const std::uint32_t num_rows = std::min(kRowsAtOnce, count - done);
        // A strip at a time, so that widened weights are used while they are in the cache.
        for (std::size_t strip = 0; strip < strips_of(columns_); ++strip) {
            const std::size_t column = strip * kStripColumns;
            read_strip(weights, (first + done) * weights.shape.back() + columns_.first + column,
                       num_rows, std::min(kStripColumns, columns_.count - column), rows);
            add_products({.weights = rows.data(),
                          .rows = num_rows,
                          .inputs = inputs_.data() + k + done,
                          .input_stride = inner_,
                          .tokens = tokens_},
                         sums_.data() + strip * tokens_ * kStripColumns);
        }
    }
}

void ExpertReference::store(std::span<float> matrix, std::uint32_t row_size) const {
    for (std::size_t column = 0; column < columns_.count; column += kStripColumns) {
        const std::size_t width = std::min(kStripColumns, columns_.count - column);
        for (std::uint32_t token = 0; token < tokens_; ++token) {
            const double* sums = sums_.data() + column * tokens_ + token * kStripColumns;
            const auto out =
                matrix.subspan(std::size_t{token} * row_size + columns_.first + column, width);
            // Rounded to float once, at the end.
            std::transform(out.begin(), out.end(), sums, out.begin(),
                           [](float, double sum) { return static_cast<float>(sum); });
        }
    }
}

}  // namespace tessera::ops::moe_bmm
