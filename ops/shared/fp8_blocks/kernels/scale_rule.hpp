// SPDX-License-Identifier: Apache-2.0
// The data-movement side of a quantisation: the largest magnitude of a row from a tile of partial
// maxima, and the scale that a rule computes from it.
#pragma once

#include "args.hpp"
#include "dataflow_api.h"

namespace scale_rule {

constexpr uint32_t kTileRows = 32;

union FloatWord {
    uint32_t bits;
    float value;
};

using tessera::ops::ScaleRule;

// Returns the word of column 0 of a row, in a tile of four faces of 16 rows.
inline uint32_t word_of_row(uint32_t row) {
    return row / 16 * 512 + row % 16 * 16;
}

// Numbers without a sign compare as their bits do.
inline uint32_t largest_of_row(const tt_l1_ptr uint32_t* tile, uint32_t row) {
    const tt_l1_ptr uint32_t* left = tile + word_of_row(row);
    uint32_t most = 0;
    for (uint32_t column = 0; column < 16; ++column) {
        most = left[column] > most ? left[column] : most;
        most = left[column + 256] > most ? left[column + 256] : most;
    }
    return most;
}

inline float larger(float a, float b) {
    return a > b ? a : b;
}

// Returns 2^ceil(log2 x) for a normal x > 0.
inline float power_of_two_above(float x) {
    FloatWord word;
    word.value = x;
    word.bits = (word.bits + 0x7FFFFF) & 0xFF800000;
    return word.value;
}

// Returns the scale of a code for a largest magnitude. Divisions are IEEE fp32, in the order in
// which each rule was published. `most` is the largest code of the plain rule, Trtllm; each other
// rule is for e4m3.
inline float scale_of(uint32_t largest_bits, ScaleRule rule, float most = 448.0F) {
    FloatWord largest;
    largest.bits = largest_bits;
    const float amax = largest.value;
    switch (rule) {
        case ScaleRule::Dsv3:
            return larger(amax, 1e-4F) / 448.0F;
        case ScaleRule::Dsv32:
            return larger(amax, 1e-4F) * (1.0F / 448.0F);
        case ScaleRule::Ue8m0:
            return power_of_two_above(larger(amax, 1e-4F) * (1.0F / 448.0F));
        case ScaleRule::FlashinferTest:
            return amax == 0.0F ? 1.0F : amax / 448.0F;
        case ScaleRule::PerToken:
            return larger(amax / 448.0F, 1.0F / (448.0F * 512.0F));
        default:
            return larger(amax / most, 1.17549435e-38F);
    }
}

}  // namespace scale_rule
