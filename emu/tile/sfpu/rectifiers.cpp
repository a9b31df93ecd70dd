// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/sfpu/rectifiers.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

HWY_INLINE Vec relu(Vec x) {
    return hn::IfThenElseZero(hn::Gt(x, constant(0.0F)), x);
}

/// NaN becomes 0.
void relu_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return relu(x); });
}

void relu_max_tile(float* tile, float upper) {
    const Vec bound = constant(upper);
    map_tile(tile, tile, [bound](Vec x) HWY_ATTR {
        const Vec positive = relu(x);
        return hn::IfThenElse(hn::Gt(positive, bound), bound, positive);
    });
}

void relu_min_tile(float* tile, float lower) {
    const Vec bound = constant(lower);
    map_tile(tile, tile,
             [bound](Vec x) HWY_ATTR { return hn::IfThenElse(hn::Lt(x, bound), bound, x); });
}

void leaky_relu_tile(float* tile, float slope) {
    const Vec factor = constant(slope);
    map_tile(tile, tile, [factor](Vec x) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(x, constant(0.0F)), hn::Mul(x, factor), x);
    });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

TESSERA_SFPU_EXPORT(relu)
TESSERA_SFPU_EXPORT_WITH(relu_max, float)
TESSERA_SFPU_EXPORT_WITH(relu_min, float)
TESSERA_SFPU_EXPORT_WITH(leaky_relu, float)

}  // namespace tessera::tile
#endif
