// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/format/bf16.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/format/bf16.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/bf16_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

void widen_halves(const std::uint16_t* in, float* out) {
    widen_tile(in, 0xFFFF, out);
}

void narrow_floats(const float* in, std::uint16_t* out) {
    for (std::size_t i = 0; i < kTileElements; i += 2 * kLanes) {
        narrow_pair(load(in + i), load(in + i + kLanes), out + i);
    }
}

void round_floats(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return round_bf16(x); });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(widen_halves);
HWY_EXPORT(narrow_floats);
HWY_EXPORT(round_floats);

void unpack_bf16_tile(const std::byte* src, float* tile) {
    HWY_DYNAMIC_DISPATCH(widen_halves)(reinterpret_cast<const std::uint16_t*>(src), tile);
}

void pack_bf16_tile(const float* tile, std::byte* out) {
    HWY_DYNAMIC_DISPATCH(narrow_floats)(tile, reinterpret_cast<std::uint16_t*>(out));
}

void round_to_bf16_tile(float* tile) {
    HWY_DYNAMIC_DISPATCH(round_floats)(tile);
}

}  // namespace tessera::tile
#endif
