// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/sfpu/roots.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

void recip_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return hn::Div(constant(1.0F), x); });
}

void sqrt_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return hn::Sqrt(x); });
}

void rsqrt_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return hn::Div(constant(1.0F), hn::Sqrt(x)); });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(recip_tile);
HWY_EXPORT(sqrt_tile);
HWY_EXPORT(rsqrt_tile);

namespace sfpu {

void recip(float* tile) {
    HWY_DYNAMIC_DISPATCH(recip_tile)(tile);
}
void sqrt(float* tile) {
    HWY_DYNAMIC_DISPATCH(sqrt_tile)(tile);
}
void rsqrt(float* tile) {
    HWY_DYNAMIC_DISPATCH(rsqrt_tile)(tile);
}

}  // namespace sfpu
}  // namespace tessera::tile
#endif
