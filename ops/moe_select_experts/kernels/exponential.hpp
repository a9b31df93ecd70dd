// SPDX-License-Identifier: Apache-2.0
// e^x in fp32 for data-movement kernels, whose cores have no maths library.
#pragma once

#include <cstdint>

union FloatWord {
    std::uint32_t bits;
    float value;
};

// Returns 2^n for n of −126 to 127.
inline float power_of_two(int n) {
    FloatWord word;
    word.bits = static_cast<std::uint32_t>(n + 127) << 23;
    return word.value;
}

// Returns the exponential within 1 ulp. x = n·ln 2 + r with |r| ≤ ln 2 / 2; ln 2 has two parts, so
// n times the first part is exact. The polynomial is that of Cephes' expf. The power is applied in
// two halves, so results below 2^-126 are rounded once.
inline float exponential(float x) {
    if (x < -104.0F) {
        return 0.0F;
    }
    if (x > 88.72283F) {
        return power_of_two(127) * 2.0F;
    }
    const int n = static_cast<int>(x * 1.44269504F + (x < 0 ? -0.5F : 0.5F));
    const float whole = static_cast<float>(n);
    const float r = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    const int half = n / 2;
    return p * power_of_two(half) * power_of_two(n - half);
}
