// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_bmm/strip_products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/moe_bmm/strip_products.cpp"
#include <hwy/foreach_target.h>
// Highway compiles this file once for each set of vector registers and chooses at run time.
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tessera::ops::moe_bmm::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Doubles>;

constexpr std::size_t kLanes = hn::MaxLanes(Doubles());
/// Sums of four vectors of columns stay in registers, of as many tokens as there is room for: four
/// with 32 registers, two with 16.
constexpr std::size_t kBlockColumns = 4 * kLanes;
constexpr std::size_t kMostTokens = kLanes == 8 ? 4 : 2;
static_assert(kStripColumns % kBlockColumns == 0);

void widen_strip(const std::uint16_t* bf16, std::size_t row_size, std::size_t rows, double* out) {
    const Doubles d;
    const hn::Rebind<float, Doubles> df;
    const hn::Rebind<std::uint32_t, Doubles> dw;
    // A bfloat16 is the upper half of a float: a shift widens it, and the conversion to double is
    // exact.
    const hn::Rebind<std::uint16_t, Doubles> dh;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < kStripColumns; column += kLanes) {
            const auto halves = hn::LoadU(dh, bf16 + row * row_size + column);
            const auto words = hn::ShiftLeft<16>(hn::PromoteTo(dw, halves));
            hn::StoreU(hn::PromoteTo(d, hn::BitCast(df, words)), d,
                       out + row * kStripColumns + column);
        }
    }
}

// Adds a block of columns of `Tokens` tokens, over all rows.
template <std::size_t Tokens>
HWY_INLINE void add_block(const StripOperands& operands, const double* HWY_RESTRICT inputs,
                          std::size_t column, double* HWY_RESTRICT sums) {
    const Doubles d;
    // All sums of the block are registers; the compiler unrolls both loops.
    Vector sum[Tokens][4];
    for (std::size_t t = 0; t < Tokens; ++t) {
        for (std::size_t v = 0; v < 4; ++v) {
            sum[t][v] = hn::LoadU(d, sums + t * kStripColumns + column + v * kLanes);
        }
    }
    for (std::size_t k = 0; k < operands.rows; ++k) {
        const double* row = operands.weights + k * kStripColumns + column;
        const Vector w[4] = {hn::LoadU(d, row), hn::LoadU(d, row + kLanes),
                             hn::LoadU(d, row + 2 * kLanes), hn::LoadU(d, row + 3 * kLanes)};
        for (std::size_t t = 0; t < Tokens; ++t) {
            // One input value for four vectors of weights: loads of weights are shared by the
            // tokens.
            const Vector factor = hn::Set(d, inputs[t * operands.input_stride + k]);
            for (std::size_t v = 0; v < 4; ++v) {
                // Fused or not, the result is the same: a product of two bfloat16 is exact in
                // double.
                sum[t][v] = hn::MulAdd(factor, w[v], sum[t][v]);
            }
        }
    }
    for (std::size_t t = 0; t < Tokens; ++t) {
        for (std::size_t v = 0; v < 4; ++v) {
            hn::StoreU(sum[t][v], d, sums + t * kStripColumns + column + v * kLanes);
        }
    }
}

template <std::size_t Tokens>
void add_tokens(const StripOperands& operands, std::size_t token, double* sums) {
    for (std::size_t column = 0; column < kStripColumns; column += kBlockColumns) {
        add_block<Tokens>(operands, operands.inputs + token * operands.input_stride, column,
                          sums + token * kStripColumns);
    }
}

void add_products(const StripOperands& operands, double* sums) {
    std::size_t token = 0;
    for (; token + kMostTokens <= operands.tokens; token += kMostTokens) {
        add_tokens<kMostTokens>(operands, token, sums);
    }
    // Tokens that do not fill a block go one by one.
    for (; token < operands.tokens; ++token) {
        add_tokens<1>(operands, token, sums);
    }
}

}  // namespace
}  // namespace tessera::ops::moe_bmm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::ops::moe_bmm {
namespace {

HWY_EXPORT(widen_strip);
HWY_EXPORT(add_products);

}  // namespace

void widen_strip(const std::uint16_t* bf16, std::size_t row_size, std::size_t rows, double* out) {
    HWY_DYNAMIC_DISPATCH(widen_strip)(bf16, row_size, rows, out);
}

void add_products(const StripOperands& operands, double* sums) {
    HWY_DYNAMIC_DISPATCH(add_products)(operands, sums);
}

}  // namespace tessera::ops::moe_bmm
#endif
