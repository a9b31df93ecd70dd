// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "emu/tile/dst_binary.hpp"
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

TESSERA_SFPU_EXPORT(abs)
TESSERA_SFPU_EXPORT(negative)
TESSERA_SFPU_EXPORT(square)
TESSERA_SFPU_EXPORT(sign)
TESSERA_SFPU_EXPORT_WITH(power, std::uint32_t)

namespace sfpu {

void identity(float* /*tile*/) {
}
void fill(float* tile, float value) {
    std::fill_n(tile, kTileElements, value);
}
void add_scalar(float* tile, float scalar) {
    unary_with_scalar_tile(BinaryOp::Add, tile, scalar);
}
void sub_scalar(float* tile, float scalar) {
    unary_with_scalar_tile(BinaryOp::Sub, tile, scalar);
}
void mul_scalar(float* tile, float scalar) {
    unary_with_scalar_tile(BinaryOp::Mul, tile, scalar);
}
void rsub_scalar(float* tile, float scalar) {
    unary_with_scalar_tile(BinaryOp::Rsub, tile, scalar);
}

}  // namespace sfpu

}  // namespace tessera::tile
#endif
