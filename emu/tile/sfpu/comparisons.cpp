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

HWY_EXPORT(eqz_tile);
HWY_EXPORT(nez_tile);
HWY_EXPORT(ltz_tile);
HWY_EXPORT(gtz_tile);
HWY_EXPORT(lez_tile);
HWY_EXPORT(gez_tile);
HWY_EXPORT(where_tile);
HWY_EXPORT(mask_tile);

namespace sfpu {

void eqz(float* tile) {
    HWY_DYNAMIC_DISPATCH(eqz_tile)(tile);
}
void nez(float* tile) {
    HWY_DYNAMIC_DISPATCH(nez_tile)(tile);
}
void ltz(float* tile) {
    HWY_DYNAMIC_DISPATCH(ltz_tile)(tile);
}
void gtz(float* tile) {
    HWY_DYNAMIC_DISPATCH(gtz_tile)(tile);
}
void lez(float* tile) {
    HWY_DYNAMIC_DISPATCH(lez_tile)(tile);
}
void gez(float* tile) {
    HWY_DYNAMIC_DISPATCH(gez_tile)(tile);
}
void where(const float* condition, const float* on_true, const float* on_false, float* out) {
    HWY_DYNAMIC_DISPATCH(where_tile)(condition, on_true, on_false, out);
}
void mask(float* tile, const float* selector) {
    HWY_DYNAMIC_DISPATCH(mask_tile)(tile, selector);
}

}  // namespace sfpu
}  // namespace tessera::tile
#endif
