// SPDX-License-Identifier: Apache-2.0
// The shape of a tile: 32×32, or a tiny tile with fewer rows or half the columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tessera/data_format.hpp"

namespace tessera {

/// Rows and columns of a tile and of its faces. Faces are stored one after the other, left to right
/// and then down, each row-major. A face is 16×16, or as high as a tile with fewer than 16 rows.
/// Source   tt-metal tt_metal/api/tt-metalium/tile.hpp and tt_metal/impl/data_format/tile.cpp.
class Tile {
public:
    constexpr Tile() = default;
    /// Errors   UsageError unless there are 1, 2, 4, 8, 16 or 32 rows, and 16 or 32 columns.
    explicit constexpr Tile(std::array<std::uint32_t, 2> shape)
        : height_(static_cast<std::uint8_t>(shape[0])),
          width_(static_cast<std::uint8_t>(shape[1])) {
        if (!exists(shape)) {
            refuse(shape);
        }
    }
    /// Returns whether the chip has tiles of this shape.
    [[nodiscard]] static constexpr bool exists(std::array<std::uint32_t, 2> shape) noexcept {
        const auto [rows, columns] = shape;
        const bool is_power_of_two = (rows & (rows - 1)) == 0;
        return rows > 0 && rows <= kTileRows && is_power_of_two &&
               (columns == kFaceColumns || columns == kTileColumns);
    }
    static constexpr const char* kAllowed = "1, 2, 4, 8, 16 or 32 rows of 16 or 32 columns";

    [[nodiscard]] constexpr std::uint32_t get_height() const noexcept { return height_; }
    [[nodiscard]] constexpr std::uint32_t get_width() const noexcept { return width_; }
    [[nodiscard]] constexpr std::uint32_t get_tile_hw() const noexcept {
        return std::uint32_t{height_} * width_;
    }
    [[nodiscard]] constexpr std::array<std::uint32_t, 2> get_tile_shape() const noexcept {
        return {height_, width_};
    }
    [[nodiscard]] constexpr std::array<std::uint32_t, 2> get_face_shape() const noexcept {
        return {std::min<std::uint32_t>(height_, kFaceRows), kFaceColumns};
    }
    [[nodiscard]] constexpr std::uint32_t get_face_hw() const noexcept {
        return get_face_shape()[0] * kFaceColumns;
    }
    [[nodiscard]] constexpr std::uint32_t get_num_faces() const noexcept {
        return get_tile_hw() / get_face_hw();
    }
    /// Returns the bytes of one tile; 0 for Invalid. A block format has a shared exponent for each
    /// row of a face; their bytes are rounded up to a multiple of 16.
    [[nodiscard]] constexpr std::uint32_t get_tile_size(DataFormat format) const noexcept {
        const std::uint32_t exponents = is_block_format(format) ? kTileElements / kFaceColumns : 0;
        const std::uint32_t elements = tile_bytes(format) - exponents;
        return elements * get_tile_hw() / kTileElements + exponent_bytes(format);
    }

    /// Returns the bytes of the shared exponents before a tile's elements.
    [[nodiscard]] constexpr std::uint32_t exponent_bytes(DataFormat format) const noexcept {
        constexpr std::uint32_t kAlignment = 16;  // that of L1
        const std::uint32_t face_rows = get_tile_hw() / kFaceColumns;
        return is_block_format(format) ? (face_rows + kAlignment - 1) / kAlignment * kAlignment : 0;
    }
    [[nodiscard]] constexpr bool is_tiny() const noexcept { return get_tile_hw() != kTileElements; }

    /// Returns a code of four bits for the tile; 0 is a 32×32 tile.
    [[nodiscard]] constexpr std::uint8_t code() const noexcept {
        std::uint8_t halvings = 0;
        for (std::uint32_t rows = height_; rows < kTileRows; rows *= 2) {
            ++halvings;
        }
        return static_cast<std::uint8_t>(halvings | (width_ == kFaceColumns ? kNarrow : 0U));
    }
    /// Precondition   `code` is one that code() returned.
    [[nodiscard]] static constexpr Tile of_code(std::uint32_t code) noexcept {
        Tile tile;
        tile.height_ = static_cast<std::uint8_t>(kTileRows >> (code & (kNarrow - 1)));
        tile.width_ =
            static_cast<std::uint8_t>((code & kNarrow) != 0 ? kFaceColumns : kTileColumns);
        return tile;
    }

    friend constexpr bool operator==(const Tile&, const Tile&) = default;

private:
    [[noreturn]] static void refuse(std::array<std::uint32_t, 2> shape);

    static constexpr std::uint32_t kNarrow = 8;
    std::uint8_t height_ = kTileRows;
    std::uint8_t width_ = kTileColumns;
};

}  // namespace tessera
