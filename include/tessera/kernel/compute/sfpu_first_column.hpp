// SPDX-License-Identifier: Apache-2.0
// Functions of the vector unit on row statistics of attention, which are in column 0 of a tile.
// Each one computes the even columns of 16 rows from dst_reg[0] on and advances dst_reg past them.
// Numeric  exact to fp32, then rounded to bfloat16 unless DST has 32 bits; the chip approximates.
// Source   tt-metal, llk_api/experimental/llk_sfpu (June 2026).
#pragma once

#include "tessera/kernel/compute/llk_tiles.hpp"
#include "tessera/kernel/compute/sfpi_functions.hpp"

namespace tessera::kernel {
/// Vectors of 4 rows in the 16 rows of a face.
inline constexpr int kVectorsOfColumn = 4;

/// Replaces dst_reg[0] by a function of it, for each vector of even columns.
template <class Function>
void for_even_columns(const Function& function) {
    for (int i = 0; i < kVectorsOfColumn; ++i) {
        const sfpi::vFloat result = function(sfpi::vFloat(sfpi::dst_reg[0]));
        sfpi::dst_reg[0] = DST_ACCUM_MODE ? result : sfpi::convert<sfpi::vFloat16b>(result);
        sfpi::dst_reg += 2;
    }
}
}  // namespace tessera::kernel

namespace ckernel::sfpu {

/// e^(scale·x); `scale` is a bfloat16 pattern.
template <bool approximate, std::uint16_t scale_bf16>
void calculate_exponential_first_column() {
    tessera::kernel::for_even_columns([](const sfpi::vFloat& x) {
        return _ckernel_sfpu_exp_accurate_<true, DST_ACCUM_MODE>(x, scale_bf16);
    });
}
template <std::uint16_t scale_bf16>
void calculate_exponential_first_column() {
    calculate_exponential_first_column<false, scale_bf16>();
}
/// ln(1 + e^(beta·x)) / beta, or x if beta·x is above the threshold; the arguments are fp32
/// patterns.
inline void calculate_softplus_first_column(std::uint32_t beta, std::uint32_t beta_reciprocal,
                                            std::uint32_t threshold) {
    for (int i = 0; i < tessera::kernel::kVectorsOfColumn; ++i) {
        calculate_softplus_body<false, DST_ACCUM_MODE>(Converter::as_float(beta),
                                                       Converter::as_float(beta_reciprocal),
                                                       Converter::as_float(threshold));
        sfpi::dst_reg += 2;
    }
}
/// Joins two softmax statistics. Tiles 0 to 4 hold the maxima m0 and m1, the joint maximum m, and
/// the sums s0 and s1. Writes m, e^(scale·(m0 − m)) to tile 0, e^(scale·(m1 − m)) to tile 1, their
/// product with s1 to tile 4 and the joint sum to tile 3.
inline void calculate_fused_max_sub_exp_add_tile(int scale_bf16) {
    constexpr int kTile = 32;
    const auto exp_of = [scale_bf16](const sfpi::vFloat& x) {
        return _ckernel_sfpu_exp_accurate_<true, DST_ACCUM_MODE>(
            x, static_cast<std::uint16_t>(scale_bf16));
    };
    for (int i = 0; i < tessera::kernel::kVectorsOfColumn; ++i) {
        const sfpi::vFloat m0 = sfpi::dst_reg[0];
        const sfpi::vFloat m1 = sfpi::dst_reg[kTile];
        sfpi::vFloat least = m0;
        sfpi::vFloat most = m1;
        sfpi::vec_min_max(least, most);
        const sfpi::vFloat factor0 = exp_of(m0 - most);
        const sfpi::vFloat factor1 = exp_of(m1 - most);
        const sfpi::vFloat sum1 = factor1 * sfpi::vFloat(sfpi::dst_reg[4 * kTile]);
        sfpi::dst_reg[2 * kTile] = most;
        sfpi::dst_reg[3 * kTile] = sum1 + factor0 * sfpi::vFloat(sfpi::dst_reg[3 * kTile]);
        sfpi::dst_reg[4 * kTile] = sum1;
        sfpi::dst_reg[0] = factor0;
        sfpi::dst_reg[kTile] = factor1;
        sfpi::dst_reg += 2;
    }
}

/// dst_reg[0 … iterations − 1] ∘ scalar. The scalar is an fp32 pattern; for DIV_UNARY it is the
/// reciprocal of the divisor.
template <bool approximate, int operation, int iterations = 8>
void calculate_binop_with_scalar(std::uint32_t scalar) {
    static_assert(operation >= ADD_UNARY && operation <= RSUB_UNARY, "no operation of a scalar");
    const sfpi::vFloat y = Converter::as_float(scalar);
    for (int i = 0; i < iterations; ++i) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = operation == ADD_UNARY    ? x + y
                           : operation == SUB_UNARY  ? x - y
                           : operation == RSUB_UNARY ? y - x
                                                     : x * y;
        sfpi::dst_reg++;
    }
}
/// Does nothing; on the chip it loads the constants of the reciprocal.
template <bool approximate = false>
void sfpu_reciprocal_init() {
}

}  // namespace ckernel::sfpu
