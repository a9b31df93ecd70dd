// SPDX-License-Identifier: Apache-2.0
// Small types of the vendor's support library.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

namespace ttsl {

template <class T>
using Span = std::span<T>;

template <class T>
[[nodiscard]] Span<const T> make_const_span(const std::vector<T>& values) {
    return {values.data(), values.size()};
}
template <class T>
[[nodiscard]] Span<T> make_span(std::vector<T>& values) {
    return {values.data(), values.size()};
}
template <class T>
[[nodiscard]] Span<const std::byte> as_bytes(Span<T> values) {
    return std::as_bytes(values);
}

template <class T, std::size_t = 8>
using SmallVector = std::vector<T>;

/// A number that does not mix with numbers of another `Tag`.
template <class T, class Tag>
class StrongType {
public:
    constexpr StrongType() = default;
    explicit constexpr StrongType(T value) : value_(std::move(value)) {}
    [[nodiscard]] constexpr const T& get() const noexcept { return value_; }
    [[nodiscard]] constexpr const T& operator*() const noexcept { return value_; }
    friend constexpr auto operator<=>(const StrongType&, const StrongType&) = default;
    friend std::ostream& operator<<(std::ostream& stream, const StrongType& number) {
        return stream << +number.value_;
    }

private:
    T value_{};
};

}  // namespace ttsl

template <class T, class Tag>
struct std::hash<ttsl::StrongType<T, Tag>> {
    std::size_t operator()(const ttsl::StrongType<T, Tag>& number) const noexcept {
        return std::hash<T>{}(number.get());
    }
};

namespace tt {
namespace stl = ttsl;
namespace tt_metal {
namespace stl = ttsl;
}
}  // namespace tt
