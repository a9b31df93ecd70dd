// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/sfpu/comparisons.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

enum class Relation : std::uint8_t { Equal, NotEqual, Less, Greater, AtMost, AtLeast };

HWY_INLINE FloatMask holds(Relation relation, Vec x) {
    const Vec zero = constant(0.0F);
    switch (relation) {
        case Relation::Equal:
            return hn::Eq(x, zero);
        case Relation::NotEqual:
            return hn::Not(hn::Eq(x, zero));  // Ne is false for NaN on AVX-512 only
        case Relation::Less:
            return hn::Lt(x, zero);
        case Relation::Greater:
            return hn::Gt(x, zero);
        case Relation::AtMost:
            return hn::Le(x, zero);
        case Relation::AtLeast:
            break;
    }
    return hn::Ge(x, zero);
}

template <Relation kRelation>
HWY_INLINE void compare_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR {
        return hn::IfThenElseZero(holds(kRelation, x), constant(1.0F));
    });
}

// For NaN only nez is true.
void eqz_tile(float* tile) {
    compare_tile<Relation::Equal>(tile);
}
void nez_tile(float* tile) {
    compare_tile<Relation::NotEqual>(tile);
}
void ltz_tile(float* tile) {
    compare_tile<Relation::Less>(tile);
}
void gtz_tile(float* tile) {
    compare_tile<Relation::Greater>(tile);
}
void lez_tile(float* tile) {
    compare_tile<Relation::AtMost>(tile);
}
void gez_tile(float* tile) {
    compare_tile<Relation::AtLeast>(tile);
}

void where_tile(const float* condition, const float* on_true, const float* on_false, float* out) {
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        const auto is_false = hn::Eq(load(condition + i), constant(0.0F));
        store(hn::IfThenElse(is_false, load(on_false + i), load(on_true + i)), out + i);
    }
}

void mask_tile(float* tile, const float* mask) {
    zip_tile(tile, mask, tile, [](Vec x, Vec m) HWY_ATTR {
        return hn::IfThenZeroElse(hn::Eq(m, constant(0.0F)), x);
    });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

TESSERA_SFPU_EXPORT(eqz)
TESSERA_SFPU_EXPORT(nez)
TESSERA_SFPU_EXPORT(ltz)
TESSERA_SFPU_EXPORT(gtz)
TESSERA_SFPU_EXPORT(lez)
TESSERA_SFPU_EXPORT(gez)

HWY_EXPORT(where_tile);
HWY_EXPORT(mask_tile);

namespace sfpu {

void where(const float* condition, const float* on_true, const float* on_false, float* out) {
    HWY_DYNAMIC_DISPATCH(where_tile)(condition, on_true, on_false, out);
}
void mask(float* tile, const float* selector) {
    HWY_DYNAMIC_DISPATCH(mask_tile)(tile, selector);
}

}  // namespace sfpu

}  // namespace tessera::tile
#endif
