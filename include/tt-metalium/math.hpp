// SPDX-License-Identifier: Apache-2.0
// Integer division and rounding.
#pragma once

#include <type_traits>

namespace tt {

/// Returns a / b, rounded up.
/// Precondition   b is not 0.
template <class A, class B>
[[nodiscard]] constexpr std::common_type_t<A, B> div_up(A a, B b) noexcept {
    using T = std::common_type_t<A, B>;
    return static_cast<T>((static_cast<T>(a) + static_cast<T>(b) - 1) / static_cast<T>(b));
}
/// Returns the smallest multiple of b that is at least a.
template <class A, class B>
[[nodiscard]] constexpr std::common_type_t<A, B> round_up(A a, B b) noexcept {
    return static_cast<std::common_type_t<A, B>>(b) * div_up(a, b);
}
/// Returns the largest multiple of b that is at most a.
template <class A, class B>
[[nodiscard]] constexpr std::common_type_t<A, B> round_down(A a, B b) noexcept {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(b) * static_cast<T>(static_cast<T>(a) / static_cast<T>(b));
}

namespace tt_metal {
using tt::div_up;
using tt::round_down;
using tt::round_up;
}  // namespace tt_metal

}  // namespace tt

/// Returns the smallest multiple of `alignment`, a power of two, that is at least `value`.
template <class T>
[[nodiscard]] constexpr T align(T value, std::type_identity_t<T> alignment) noexcept {
    return (value + alignment - 1) & ~(alignment - 1);
}

namespace tt {
using ::align;
}
namespace tt::tt_metal {
using ::align;
}
