// SPDX-License-Identifier: Apache-2.0
// Scales of a byte for blocks of e2m1 numbers: their codes, from the largest magnitude of a block,
// and the numbers of codes.
#pragma once

#include "scale_rule.hpp"

namespace {

using scale_rule::FloatWord;

// A scale's code, and the factor that takes a number to its quotient: the reciprocal of the scale.
struct MicroScale {
    uint32_t code;
    uint32_t factor;  // bits
};

inline float e8m0_value(uint32_t code) {
    FloatWord word;
    word.bits = code << 23;
    return word.value;
}

// OCP MX: the exponent of the largest magnitude less that of 6, the largest e2m1 number. Scales
// below 2^-125 would make numbers that bfloat16 rounds to 0.
inline MicroScale e8m0_scale(uint32_t largest_bits) {
    constexpr uint32_t kExponentOfSix = 2;
    constexpr uint32_t kLeast = 2;
    const uint32_t exponent = largest_bits >> 23;
    const uint32_t code = exponent < kLeast + kExponentOfSix ? kLeast : exponent - kExponentOfSix;
    return {code, (254 - code) << 23};
}

// Returns the e4m3 code of a number that has no sign, rounded to nearest even, saturating.
inline uint32_t e4m3_code(float value) {
    constexpr uint32_t kLeastNormal = 0x3C800000;  // 2^-6
    constexpr uint32_t kExponents = 120;           // between the biases
    FloatWord word;
    word.value = value < 448.0F ? value : 448.0F;
    if (word.bits >= kLeastNormal) {
        const uint32_t rounded = word.bits + 0x7FFFF + (word.bits >> 20 & 1);
        return (rounded >> 20) - (kExponents << 3);
    }
    // The last bit of 2^14 is 2^-9, the step of subnormal codes.
    FloatWord step;
    step.value = 16384.0F;
    word.value += step.value;
    return word.bits - step.bits;
}

inline float e4m3_value(uint32_t code) {
    FloatWord word;
    if (code < 8) {
        return (float)code * (1.0F / 512.0F);
    }
    word.bits = (code + (120 << 3)) << 20;
    return word.value;
}

// NVFP4: the scale of a block times that of the tensor takes the largest magnitude to 6. No scale
// is 0, so that blocks of zeros have a quotient.
inline MicroScale e4m3_scale(uint32_t largest_bits, float tensor_scale) {
    FloatWord word;
    word.bits = largest_bits;
    const uint32_t nearest = e4m3_code(word.value / 6.0F / tensor_scale);
    const uint32_t code = nearest == 0 ? 1 : nearest;
    word.value = 1.0F / (e4m3_value(code) * tensor_scale);
    return {code, word.bits};
}

}  // namespace
