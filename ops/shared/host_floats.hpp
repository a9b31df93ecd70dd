// SPDX-License-Identifier: Apache-2.0
// Values of host tensors for references.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "tessera/errors.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Returns a bfloat16 bit pattern as a float.
[[nodiscard]] inline float bf16_to_float(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
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

}  // namespace tessera::ops
