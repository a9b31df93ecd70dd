// SPDX-License-Identifier: Apache-2.0
// Compares an SFPU function with double precision on every finite bf16 input.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {

/// Returns the bf16 value nearest to a double, ties to even, without an intermediate float.
inline float nearest_bf16(double value) {
    if (value == 0 || !std::isfinite(value)) {
        return static_cast<float>(value);
    }
    const double unit = std::ldexp(1.0, std::max(std::ilogb(value), -126) - 7);
    const double rounded = std::nearbyint(value / unit) * unit;
    return std::abs(rounded) >= 0x1p128
               ? std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(value))
               : static_cast<float>(rounded);
}

/// Returns the steps between two bf16 values in the order of all bf16 values.
inline std::uint32_t bf16_steps(float a, float b) {
    const auto place = [](float value) {
        const auto bits = static_cast<std::int32_t>(bf16_from_float(value));
        return bits < 0x8000 ? bits : 0x8000 - bits;
    };
    return static_cast<std::uint32_t>(std::abs(place(a) - place(b)));
}

struct Mismatches {
    std::uint32_t count = 0;
    std::uint32_t largest_steps = 0;  ///< a NaN against a number counts as 65536
    float first_input = 0;
};

/// Compares round_to_bf16(function(x)) with nearest_bf16(exact(x)) for all finite bf16 x.
template <class Function, class Exact>
Mismatches on_every_bf16(Function function, Exact exact) {
    Mismatches found;
    for (std::uint32_t first = 0; first < 0x10000; first += kTileElements) {
        TileValues inputs;
        for (std::uint32_t i = 0; i < kTileElements; ++i) {
            inputs[i] = bf16_to_float(static_cast<std::uint16_t>(first + i));
        }
        TileValues results = inputs;
        function(results.data());
        for (std::uint32_t i = 0; i < kTileElements; ++i) {
            if (!std::isfinite(inputs[i])) {
                continue;
            }
            const float got = round_to_bf16(results[i]);
            const float want = nearest_bf16(exact(static_cast<double>(inputs[i])));
            if (got == want || (std::isnan(got) && std::isnan(want))) {
                continue;
            }
            const bool is_number = !std::isnan(got) && !std::isnan(want);
            found.first_input = found.count == 0 ? inputs[i] : found.first_input;
            found.largest_steps =
                std::max(found.largest_steps, is_number ? bf16_steps(got, want) : 65536U);
            ++found.count;
        }
    }
    return found;
}

}  // namespace tessera::tile
