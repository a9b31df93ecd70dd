// SPDX-License-Identifier: Apache-2.0
// Arithmetic of counts and sizes.
#pragma once

#include <cstdint>

inline uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

inline uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// Returns the number of groups of `divisor` that hold `dividend`.
inline uint32_t div_up(uint32_t dividend, uint32_t divisor) {
    return (dividend + divisor - 1) / divisor;
}

// Returns the smallest multiple of `multiple` that is at least `value`.
inline uint32_t round_up(uint32_t value, uint32_t multiple) {
    return div_up(value, multiple) * multiple;
}
