// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/fidelity.hpp"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/fidelity.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/bf16_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

void slice_floats(const float* in, Source source, Slice slice, float* out) {
    const std::uint32_t mask = slice_mask(source, slice);
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        const Vec value = load(in + i);
        store(slice == Slice::Low ? low_part(value, source) : masked(value, mask), out + i);
    }
}

void slice_halves(const std::uint16_t* in, Source source, Slice slice, float* out) {
    slice_tile_of_halves(in, source, slice, out);
}

void mask_floats(float* tile, std::uint32_t mask) {
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        store(masked(load(tile + i), mask), tile + i);
    }
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(slice_floats);
HWY_EXPORT(slice_halves);
HWY_EXPORT(mask_floats);

namespace {

constexpr std::array kPhases{
    FidelityPass{Slice::High, Slice::High}, FidelityPass{Slice::Low, Slice::High},
    FidelityPass{Slice::High, Slice::Low}, FidelityPass{Slice::Low, Slice::Low}};
constexpr std::array kLoFi{FidelityPass{Slice::High, Slice::High}};
constexpr std::array kHiFi2{FidelityPass{Slice::Full, Slice::High}};
constexpr std::array kHiFi3{FidelityPass{Slice::Full, Slice::High},
                            FidelityPass{Slice::High, Slice::Low}};
constexpr std::array kHiFi4{FidelityPass{Slice::Full, Slice::Full}};

}  // namespace

std::span<const FidelityPass> fidelity_phases(MathFidelity fidelity) noexcept {
    const std::size_t count =
        fidelity == MathFidelity::LoFi ? 1 : static_cast<std::size_t>(fidelity);
    return std::span(kPhases).first(count);
}

std::span<const FidelityPass> fidelity_passes(MathFidelity fidelity) noexcept {
    switch (fidelity) {
        case MathFidelity::LoFi:
            return kLoFi;
        case MathFidelity::HiFi2:
            return kHiFi2;
        case MathFidelity::HiFi3:
            return kHiFi3;
        case MathFidelity::HiFi4:
            break;
    }
    return kHiFi4;
}

void slice_tile(const float* in, Source source, Slice slice, float* out) {
    HWY_DYNAMIC_DISPATCH(slice_floats)(in, source, slice, out);
}

void slice_bf16_tile(const std::byte* in, Source source, Slice slice, float* out) {
    HWY_DYNAMIC_DISPATCH(slice_halves)
    (reinterpret_cast<const std::uint16_t*>(in), source, slice, out);
}

void truncate_to_tf32_tile(float* tile) {
    HWY_DYNAMIC_DISPATCH(mask_floats)(tile, slice_mask(Source::SrcB, Slice::Full));
}

}  // namespace tessera::tile
#endif
