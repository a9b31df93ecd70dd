// SPDX-License-Identifier: Apache-2.0
// Sine and cosine for data-movement kernels, whose cores have no library of functions.
#pragma once

#include <cstdint>

struct SineCosine {
    float sine;
    float cosine;
};

// Returns sine and cosine of position · frequency, each within about 1 ulp of 1. The product and
// its distance to a multiple of π/2 are taken in double, which is right for positions up to some
// 2^30. The polynomials for the rest, at most π/4, are those of Cephes' sinf and cosf.
inline SineCosine sine_cosine(std::int32_t position, float frequency) {
    const double angle = static_cast<double>(position) * static_cast<double>(frequency);
    const double turns = angle * 0.63661977236758134308;
    const auto quarter = static_cast<std::int64_t>(turns < 0 ? turns - 0.5 : turns + 0.5);
    const double whole = static_cast<double>(quarter);
    const auto x = static_cast<float>((angle - whole * 1.57079632679489655800) -
                                      whole * 6.12323399573676603587e-17);
    const float z = x * x;
    const float sine =
        ((-1.9515295891e-4F * z + 8.3321608736e-3F) * z - 1.6666654611e-1F) * z * x + x;
    const float cosine =
        ((2.443315711809948e-5F * z - 1.388731625493765e-3F) * z + 4.166664568298827e-2F) * z * z -
        0.5F * z + 1.0F;
    switch (quarter & 3) {
        case 0:
            return {sine, cosine};
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        default:
            return {-cosine, sine};
    }
}
