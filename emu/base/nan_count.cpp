// SPDX-License-Identifier: Apache-2.0
#include "emu/base/nan_count.hpp"

#include <cstring>

namespace tessera {
namespace {

/// Counts patterns with a magnitude above infinity, or equal to e4m3's only NaN.
template <class Bits>
NanCount count_above(std::span<const std::byte> elements, Bits largest_number) {
    constexpr auto kMagnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1U);
    const std::size_t size = elements.size() / sizeof(Bits);
    const auto is_nan = [&](std::size_t i) {
        Bits bits = 0;
        std::memcpy(&bits, elements.data() + i * sizeof(Bits), sizeof(Bits));
        return static_cast<Bits>(bits & kMagnitude) > largest_number;
    };
    NanCount found;
    for (std::size_t i = 0; i < size; ++i) {  // no branch, so it vectorises
        found.count += is_nan(i) ? 1 : 0;
    }
    while (found.count != 0 && !is_nan(found.first)) {
        ++found.first;
    }
    return found;
}

}  // namespace

NanCount count_nan(DataFormat format, std::span<const std::byte> elements) {
    switch (format) {
        case DataFormat::Float32:
            return count_above<std::uint32_t>(elements, 0x7F800000U);
        case DataFormat::Float16_b:
            return count_above<std::uint16_t>(elements, 0x7F80U);
        case DataFormat::Fp8_e4m3:
            return count_above<std::uint8_t>(elements, 0x7EU);
        case DataFormat::Lf8:
            return count_above<std::uint8_t>(elements, 0x7CU);
        default:
            return {};
    }
}

}  // namespace tessera
