// SPDX-License-Identifier: Apache-2.0
// The inner loops of the reference in vectors of the host: rows of weights to double, and sums of
// products of some tokens over a strip of output columns.
//
// Products of two bfloat16 or float32 values are exact in double: whether a host fuses them with
// their sum or not, and however wide its vectors are, the same bytes come out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::ops::moe_bmm {

/// Output columns whose sums are consecutive in memory.
inline constexpr std::size_t kStripColumns = 32;

/// Widens `rows` rows of a strip, `row_size` elements apart.
/// Shapes   bf16: rows of at least kStripColumns elements; out: (rows, kStripColumns).
void widen_strip(const std::uint16_t* bf16, std::size_t row_size, std::size_t rows, double* out);

/// Operands of add_products() for one strip.
struct StripOperands {
    const double* weights = nullptr;  ///< (rows, kStripColumns)
    std::size_t rows = 0;
    const double* inputs = nullptr;  ///< of the first token, as many as rows
    std::size_t input_stride = 0;    ///< elements from one token to the next
    std::size_t tokens = 0;
};

/// Adds products: sums[t][c] += Σ inputs[t][k] · weights[k][c], k upwards.
/// Shapes   sums: (tokens, kStripColumns).
void add_products(const StripOperands& operands, double* sums);

}  // namespace tessera::ops::moe_bmm
