// SPDX-License-Identifier: Apache-2.0
// Height and width of a matrix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tt::tt_metal {

class Shape2D {
public:
    constexpr Shape2D(std::size_t height, std::size_t width) : height_(height), width_(width) {}
    constexpr Shape2D(const std::pair<std::size_t, std::size_t>& size)  // NOLINT: vendor's shape
        : Shape2D(size.first, size.second) {}
    constexpr Shape2D(const std::array<std::size_t, 2>& size)
        : Shape2D(size[0], size[1]) {}                           // NOLINT
    constexpr Shape2D(const std::array<std::uint32_t, 2>& size)  // NOLINT
        : Shape2D(size[0], size[1]) {}

    [[nodiscard]] constexpr std::size_t height() const { return height_; }
    [[nodiscard]] constexpr std::size_t width() const { return width_; }
    friend constexpr bool operator==(const Shape2D&, const Shape2D&) = default;

private:
    std::size_t height_ = 0;
    std::size_t width_ = 0;
};

}  // namespace tt::tt_metal
