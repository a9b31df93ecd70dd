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
// By comparison: Max and Min of vectors treat NaN differently on different targets.
HWY_INLINE Vec larger_of(Vec x, Vec y) {
    return hn::IfThenElse(hn::Gt(x, y), x, y);
}
HWY_INLINE Vec smaller_of(Vec x, Vec y) {
    return hn::IfThenElse(hn::Lt(x, y), x, y);
}
void max_tiles(const float* a, const float* b, float* out) {
    zip_tile(a, b, out, [](Vec x, Vec y) HWY_ATTR { return larger_of(x, y); });
}
void min_tiles(const float* a, const float* b, float* out) {
    zip_tile(a, b, out, [](Vec x, Vec y) HWY_ATTR { return smaller_of(x, y); });
}

/// tile = tile ∘ scalar, for the operations above.
void with_scalar(BinaryOp op, float* tile, float scalar) {
    const auto map = [tile, scalar](auto function) HWY_ATTR {
        const Vec y = constant(scalar);
        map_tile(tile, tile, [function, y](Vec x) HWY_ATTR { return function(x, y); });
    };
    switch (op) {
        case BinaryOp::Add:
            return map([](Vec x, Vec y) HWY_ATTR { return hn::Add(x, y); });
        case BinaryOp::Sub:
            return map([](Vec x, Vec y) HWY_ATTR { return hn::Sub(x, y); });
        case BinaryOp::Rsub:
            return map([](Vec x, Vec y) HWY_ATTR { return hn::Sub(y, x); });
        case BinaryOp::Mul:
            return map([](Vec x, Vec y) HWY_ATTR { return hn::Mul(x, y); });
        case BinaryOp::Div:
            return map([](Vec x, Vec y) HWY_ATTR { return hn::Div(x, y); });
        case BinaryOp::Max:
            return map([](Vec x, Vec y) HWY_ATTR { return larger_of(x, y); });
        case BinaryOp::Min:
            return map([](Vec x, Vec y) HWY_ATTR { return smaller_of(x, y); });
        case BinaryOp::Power:
            return;  // not a vector operation
    }
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
HWY_EXPORT(with_scalar);

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
    if (op != BinaryOp::Power) {
        return HWY_DYNAMIC_DISPATCH(with_scalar)(op, tile, scalar);
    }
    std::array<float, kTileElements> filled;
    filled.fill(scalar);
    binary_tile(op, tile, filled.data(), tile);
}

}  // namespace tessera::tile
#endif
