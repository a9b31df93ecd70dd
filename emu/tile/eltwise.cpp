// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/eltwise.hpp"

#include <algorithm>
#include <array>

#include "emu/tile/fidelity.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/eltwise.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

void add_operands(const float* a, const float* b, float* dst) {
    zip_tile(a, b, dst, [](Vec x, Vec y) HWY_ATTR { return hn::Add(x, y); });
}

void subtract_operands(const float* a, const float* b, float* dst) {
    zip_tile(a, b, dst, [](Vec x, Vec y) HWY_ATTR { return hn::Sub(x, y); });
}

/// Computes one pass with a and b sliced by mask. HiFi3 runs a second pass with the remaining
/// parts.
template <bool kIsHiFi3>
HWY_INLINE Vec product_of(Vec a, Vec b, std::uint32_t a_mask, std::uint32_t b_mask) {
    const Vec product = hn::Mul(masked(a, a_mask), masked(b, b_mask));
    if constexpr (kIsHiFi3) {
        const Vec a_high = masked(a, slice_mask(Source::SrcA, Slice::High));
        return fma(a_high, low_part(b, Source::SrcB), product);
    }
    return product;
}

template <bool kIsHiFi3>
HWY_INLINE Vec sum_of(Vec dst, Vec a, Vec b, std::uint32_t a_mask, std::uint32_t b_mask) {
    const Vec sum = fma(masked(a, a_mask), masked(b, b_mask), dst);
    if constexpr (kIsHiFi3) {
        const Vec a_high = masked(a, slice_mask(Source::SrcA, Slice::High));
        return fma(a_high, low_part(b, Source::SrcB), sum);
    }
    return sum;
}

template <bool kIsHiFi3>
HWY_INLINE void multiply(const float* a, const float* b, float* dst, FidelityPass pass,
                         DstUpdate update) {
    const std::uint32_t a_mask = slice_mask(Source::SrcA, pass.srca);
    const std::uint32_t b_mask = slice_mask(Source::SrcB, pass.srcb);
    if (update == DstUpdate::Overwrite) {
        return zip_tile(a, b, dst, [=](Vec x, Vec y) HWY_ATTR {
            return product_of<kIsHiFi3>(x, y, a_mask, b_mask);
        });
    }
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        store(sum_of<kIsHiFi3>(load(dst + i), load(a + i), load(b + i), a_mask, b_mask), dst + i);
    }
}

void multiply_operands(const float* a, const float* b, float* dst, MathFidelity fidelity,
                       DstUpdate update) {
    const FidelityPass pass = fidelity_passes(fidelity)[0];
    if (fidelity == MathFidelity::HiFi3) {
        multiply<true>(a, b, dst, pass, update);
    } else {
        multiply<false>(a, b, dst, pass, update);
    }
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(add_operands);
HWY_EXPORT(subtract_operands);
HWY_EXPORT(multiply_operands);

namespace {

using TileValues = std::array<float, kTileElements>;

void sum_or_difference(EltwiseOp op, const float* a, const float* b, float* dst) {
    if (op == EltwiseOp::Add) {
        HWY_DYNAMIC_DISPATCH(add_operands)(a, b, dst);
    } else {
        HWY_DYNAMIC_DISPATCH(subtract_operands)(a, b, dst);
    }
}

/// Returns the 16 elements at (row, column) of a face row after the broadcast.
void spread_run(Broadcast broadcast, const float* in, std::uint32_t row, std::uint32_t column,
                float* out) {
    switch (broadcast) {
        case Broadcast::Rows:
            std::copy_n(in + tile_offset(0, column), kFaceColumns, out);
            break;
        case Broadcast::Columns:
            std::fill_n(out, kFaceColumns, in[tile_offset(row, 0)]);
            break;
        case Broadcast::Scalar:
            std::fill_n(out, kFaceColumns, in[0]);
            break;
        case Broadcast::None:
            std::copy_n(in + tile_offset(row, column), kFaceColumns, out);
            break;
    }
}

}  // namespace

void broadcast_tile(Broadcast broadcast, const float* in, float* out) {
    TileValues spread;
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; column += kFaceColumns) {
            spread_run(broadcast, in, row, column, spread.data() + tile_offset(row, column));
        }
    }
    std::copy_n(spread.data(), kTileElements, out);
}

void eltwise_tile(EltwiseOp op, const float* a, const float* b, float* dst, EltwiseMode mode) {
    TileValues spread;
    if (mode.broadcast != Broadcast::None) {
        broadcast_tile(mode.broadcast, b, spread.data());
        b = spread.data();
    }
    if (op == EltwiseOp::Mul) {
        return HWY_DYNAMIC_DISPATCH(multiply_operands)(a, b, dst, mode.fidelity, mode.update);
    }
    if (mode.update == DstUpdate::Overwrite) {
        return sum_or_difference(op, a, b, dst);
    }
    TileValues result;
    sum_or_difference(op, a, b, result.data());
    HWY_DYNAMIC_DISPATCH(add_operands)(dst, result.data(), dst);
}

}  // namespace tessera::tile
#endif
