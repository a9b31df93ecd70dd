// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "emu/tile/sfpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/sfpu/elementary.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

void abs_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return hn::Abs(x); });
}

void negative_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return hn::Neg(x); });
}

void square_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return hn::Mul(x, x); });
}

void sign_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR {
        const Vec zero = constant(0.0F);
        const Vec one = constant(1.0F);
        return hn::Sub(hn::IfThenElseZero(hn::Gt(x, zero), one),
                       hn::IfThenElseZero(hn::Lt(x, zero), one));
    });
}

void power_tile(float* tile, std::uint32_t exponent) {
    map_tile(tile, tile, [exponent](Vec x) HWY_ATTR {
        Vec product = constant(1.0F);
        for (std::uint32_t left = exponent; left != 0; left >>= 1) {
            product = (left & 1U) != 0 ? hn::Mul(product, x) : product;
            x = hn::Mul(x, x);
        }
        return product;
    });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(abs_tile);
HWY_EXPORT(negative_tile);
HWY_EXPORT(square_tile);
HWY_EXPORT(sign_tile);
HWY_EXPORT(power_tile);

namespace sfpu {

void abs(float* tile) {
    HWY_DYNAMIC_DISPATCH(abs_tile)(tile);
}
void negative(float* tile) {
    HWY_DYNAMIC_DISPATCH(negative_tile)(tile);
}
void square(float* tile) {
    HWY_DYNAMIC_DISPATCH(square_tile)(tile);
}
void sign(float* tile) {
    HWY_DYNAMIC_DISPATCH(sign_tile)(tile);
}
void power(float* tile, std::uint32_t exponent) {
    HWY_DYNAMIC_DISPATCH(power_tile)(tile, exponent);
}
void fill(float* tile, float value) {
    std::fill_n(tile, kTileElements, value);
}

}  // namespace sfpu
}  // namespace tessera::tile
#endif
