// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/dst_binary.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/dst_binary.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

void add_tiles(const float* a, const float* b, float* out) {
    zip_tile(a, b, out, [](Vec x, Vec y) HWY_ATTR { return hn::Add(x, y); });
}
void sub_tiles(const float* a, const float* b, float* out) {
    zip_tile(a, b, out, [](Vec x, Vec y) HWY_ATTR { return hn::Sub(x, y); });
}
void mul_tiles(const float* a, const float* b, float* out) {
    zip_tile(a, b, out, [](Vec x, Vec y) HWY_ATTR { return hn::Mul(x, y); });
}
void div_tiles(const float* a, const float* b, float* out) {
    zip_tile(a, b, out, [](Vec x, Vec y) HWY_ATTR { return hn::Div(x, y); });
}
// By comparison: Max and Min of vectors treat NaN differently from target to target.
void max_tiles(const float* a, const float* b, float* out) {
    zip_tile(a, b, out, [](Vec x, Vec y) HWY_ATTR { return hn::IfThenElse(hn::Gt(x, y), x, y); });
}
void min_tiles(const float* a, const float* b, float* out) {
    zip_tile(a, b, out, [](Vec x, Vec y) HWY_ATTR { return hn::IfThenElse(hn::Lt(x, y), x, y); });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(add_tiles);
HWY_EXPORT(sub_tiles);
HWY_EXPORT(mul_tiles);
HWY_EXPORT(div_tiles);
HWY_EXPORT(max_tiles);
HWY_EXPORT(min_tiles);

namespace {

void power_tiles(const float* a, const float* b, float* out) {
    for (std::size_t i = 0; i < kTileElements; ++i) {
        out[i] = static_cast<float>(std::pow(static_cast<double>(a[i]), static_cast<double>(b[i])));
    }
}

}  // namespace

void binary_tile(BinaryOp op, const float* a, const float* b, float* out) {
    switch (op) {
        case BinaryOp::Add:
            return HWY_DYNAMIC_DISPATCH(add_tiles)(a, b, out);
        case BinaryOp::Sub:
            return HWY_DYNAMIC_DISPATCH(sub_tiles)(a, b, out);
        case BinaryOp::Rsub:
            return HWY_DYNAMIC_DISPATCH(sub_tiles)(b, a, out);
        case BinaryOp::Mul:
            return HWY_DYNAMIC_DISPATCH(mul_tiles)(a, b, out);
        case BinaryOp::Div:
            return HWY_DYNAMIC_DISPATCH(div_tiles)(a, b, out);
        case BinaryOp::Max:
            return HWY_DYNAMIC_DISPATCH(max_tiles)(a, b, out);
        case BinaryOp::Min:
            return HWY_DYNAMIC_DISPATCH(min_tiles)(a, b, out);
        case BinaryOp::Power:
            return power_tiles(a, b, out);
    }
}

void unary_with_scalar_tile(BinaryOp op, float* tile, float scalar) {
    std::array<float, kTileElements> filled;
    filled.fill(scalar);
    binary_tile(op, tile, filled.data(), tile);
}

}  // namespace tessera::tile
#endif
