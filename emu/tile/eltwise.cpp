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

void multiply_operands(const float* a, const float* b, float* dst) {
    zip_tile(a, b, dst, [](Vec x, Vec y) HWY_ATTR { return hn::Mul(x, y); });
}

void multiply_and_add(const float* a, const float* b, float* dst) {
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        store(fma(load(a + i), load(b + i), load(dst + i)), dst + i);
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
HWY_EXPORT(multiply_and_add);

namespace {

using TileValues = std::array<float, kTileElements>;

void sum_or_difference(EltwiseOp op, const float* a, const float* b, float* dst) {
    if (op == EltwiseOp::Add) {
        HWY_DYNAMIC_DISPATCH(add_operands)(a, b, dst);
    } else {
        HWY_DYNAMIC_DISPATCH(subtract_operands)(a, b, dst);
    }
}

void product(const float* a, const float* b, float* dst, const EltwiseMode& mode) {
    TileValues srca;
    TileValues srcb;
    TileValues result;
    bool is_first = mode.update == DstUpdate::Overwrite;
    std::copy_n(dst, kTileElements, result.data());
    for (const FidelityPass pass : fidelity_passes(mode.fidelity)) {
        slice_tile(a, Source::SrcA, pass.srca, srca.data());
        slice_tile(b, Source::SrcB, pass.srcb, srcb.data());
        if (is_first) {
            HWY_DYNAMIC_DISPATCH(multiply_operands)(srca.data(), srcb.data(), result.data());
        } else {
            HWY_DYNAMIC_DISPATCH(multiply_and_add)(srca.data(), srcb.data(), result.data());
        }
        is_first = false;
    }
    std::copy_n(result.data(), kTileElements, dst);
}

/// Where in a tile the element lies that is used at (row, column).
std::uint32_t source_offset(Broadcast broadcast, std::uint32_t row, std::uint32_t column) {
    switch (broadcast) {
        case Broadcast::Rows:
            return tile_offset(0, column);
        case Broadcast::Columns:
            return tile_offset(row, 0);
        case Broadcast::Scalar:
            return 0;
        case Broadcast::None:
            break;
    }
    return tile_offset(row, column);
}

}  // namespace

void broadcast_tile(Broadcast broadcast, const float* in, float* out) {
    TileValues spread;
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            spread[tile_offset(row, column)] = in[source_offset(broadcast, row, column)];
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
        return product(a, b, dst, mode);
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
