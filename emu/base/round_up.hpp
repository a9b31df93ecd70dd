// SPDX-License-Identifier: Apache-2.0
// Division and multiples that round up: the sizes of grids, blocks and aligned memory.
#pragma once

#include <concepts>
#include <type_traits>

namespace tessera {

/// Returns the number of groups of `divisor` that hold `dividend`. Does not overflow.
/// Precondition   divisor > 0.
template <std::unsigned_integral T, std::unsigned_integral U>
[[nodiscard]] constexpr std::common_type_t<T, U> div_up(T dividend, U divisor) {
    return dividend / divisor + (dividend % divisor == 0 ? 0U : 1U);
}

/// Returns the smallest multiple of `multiple` that is at least `value`.
/// Precondition   multiple > 0; the result fits the wider type of the two.
template <std::unsigned_integral T, std::unsigned_integral U>
[[nodiscard]] constexpr std::common_type_t<T, U> round_up(T value, U multiple) {
    return div_up(value, multiple) * multiple;
}

}  // namespace tessera
