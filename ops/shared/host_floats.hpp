// SPDX-License-Identifier: Apache-2.0
// Values of host tensors for references.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tessera/errors.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Returns a bfloat16 bit pattern as a float.
[[nodiscard]] inline float bf16_to_float(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// Returns an e4m3 code as a float, apart from the emulator's own conversion, which it checks.
[[nodiscard]] inline float e4m3_to_float(std::uint8_t code) {
    const int exponent = code >> 3 & 0xF;
    const int mantissa = code & 7;
    // e4m3 (OCP 8-bit formats) has no infinity: the largest magnitude code is NaN, and 448 is the
    // largest number.
    if ((code & 0x7F) == 0x7F) {
        return std::numeric_limits<float>::quiet_NaN();
    }
    // Exponent bias 7; codes with exponent 0 are denormals of 2^-9 each.
    const float magnitude = exponent == 0
                                ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(mantissa + 8), exponent - 10);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

/// Copies `values.size()` elements of a bfloat16 or float32 tensor from element `first` on.
/// Errors   InternalError for another format.
inline void read_floats(const HostTensor& tensor, std::uint64_t first, std::span<float> values) {
    if (tensor.format == DataFormat::Float32) {
        const auto source = tensor.as<float>().subspan(first, values.size());
        std::copy(source.begin(), source.end(), values.begin());
        return;
    }
    ensure(tensor.format == DataFormat::Float16_b, "read_floats: {} holds no floats",
           name_of(tensor.format));
    const auto source = tensor.as<std::uint16_t>().subspan(first, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = bf16_to_float(source[i]);
    }
}

/// Returns all elements of a bfloat16, float32 or e4m3 tensor.
/// Errors   InternalError for another format.
[[nodiscard]] inline std::vector<float> floats_of(const HostTensor& tensor) {
    std::vector<float> values(num_elements(tensor.shape));
    if (tensor.format == DataFormat::Fp8_e4m3) {
        std::ranges::transform(tensor.as<std::uint8_t>(), values.begin(), e4m3_to_float);
    } else {
        read_floats(tensor, 0, values);
    }
    return values;
}

}  // namespace tessera::ops
