// SPDX-License-Identifier: Apache-2.0
// Order of a matrix's elements: row-major, or tile after tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tt-metalium/assert.hpp"
#include "tt-metalium/stl.hpp"

/// Order of a matrix's elements. LIN_ROW_MAJOR: row by row. TILED_SWIZZLED: tiles in row-major
/// order, each row by row. TILED_NFACES: tiles in row-major order, each as faces of 16 × 16, as on
/// the chip.
enum class TensorLayoutType { LIN_ROW_MAJOR = 0, TILED_SWIZZLED = 1, TILED_NFACES = 2 };

using PhysicalSize = std::array<std::uint32_t, 2>;

[[nodiscard]] inline std::uint32_t round_up_to_mul16(std::uint32_t value) {
    return (value + 15) / 16 * 16;
}
[[nodiscard]] inline std::uint32_t round_up_to_mul32(std::uint32_t value) {
    return (value + 31) / 32 * 32;
}

namespace tt::tiling {

/// Shape of a tile and of its faces, in elements.
struct Tiling {
    PhysicalSize tile{32, 32};
    PhysicalSize face{16, 16};
};

/// Returns the position of (row, column) of a matrix with `columns` columns in a layout.
[[nodiscard]] constexpr std::size_t position(TensorLayoutType layout, std::size_t row,
                                             std::size_t column, std::size_t columns,
                                             const Tiling& tiling) {
    if (layout == TensorLayoutType::LIN_ROW_MAJOR) {
        return row * columns + column;
    }
    const auto [height, width] = tiling.tile;
    const std::size_t tile = row / height * (columns / width) + column / width;
    const std::size_t y = row % height;
    const std::size_t x = column % width;
    const std::size_t begin = tile * height * width;
    if (layout == TensorLayoutType::TILED_SWIZZLED) {
        return begin + y * width + x;
    }
    const auto [face_height, face_width] = tiling.face;
    const std::size_t face = y / face_height * (width / face_width) + x / face_width;
    return begin + face * face_height * face_width + y % face_height * face_width + x % face_width;
}

}  // namespace tt::tiling

/// Returns the elements of a stack of matrices of `shape` in another layout.
/// Errors   std::runtime_error if the elements are not a whole number of matrices, or a tiled
///          matrix is not a whole number of tiles.
template <class T>
[[nodiscard]] std::vector<T> convert_layout(std::span<const T> values, const PhysicalSize& shape,
                                            TensorLayoutType from, TensorLayoutType to,
                                            std::optional<PhysicalSize> tile = std::nullopt,
                                            std::optional<PhysicalSize> face = std::nullopt) {
    const auto [rows, columns] = shape;
    const tt::tiling::Tiling tiling{tile.value_or(PhysicalSize{32, 32}),
                                    face.value_or(PhysicalSize{16, 16})};
    const std::size_t matrix = static_cast<std::size_t>(rows) * columns;
    TT_FATAL(matrix != 0 && values.size() % matrix == 0,
             "convert_layout: {} elements, allowed: a multiple of {} x {}", values.size(), rows,
             columns);
    TT_FATAL(rows % tiling.tile[0] == 0 && columns % tiling.tile[1] == 0,
             "convert_layout: a matrix of {} x {}, allowed: multiples of the tile {} x {}", rows,
             columns, tiling.tile[0], tiling.tile[1]);
    std::vector<T> result(values.size());
    for (std::size_t begin = 0; begin < values.size(); begin += matrix) {
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                result[begin + tt::tiling::position(to, row, column, columns, tiling)] =
                    values[begin + tt::tiling::position(from, row, column, columns, tiling)];
            }
        }
    }
    return result;
}
template <class T>
[[nodiscard]] std::vector<T> convert_layout(const std::vector<T>& values, const PhysicalSize& shape,
                                            TensorLayoutType from, TensorLayoutType to,
                                            std::optional<PhysicalSize> tile = std::nullopt,
                                            std::optional<PhysicalSize> face = std::nullopt) {
    return convert_layout(std::span<const T>(values), shape, from, to, tile, face);
}
/// Does the same for a shape of any rank, whose last two extents are those of a matrix.
template <class T>
[[nodiscard]] std::vector<T> convert_layout(std::span<const T> values,
                                            std::span<const std::uint32_t> shape,
                                            TensorLayoutType from, TensorLayoutType to,
                                            std::optional<PhysicalSize> tile = std::nullopt,
                                            std::optional<PhysicalSize> face = std::nullopt) {
    TT_FATAL(shape.size() >= 2, "convert_layout: {} extents, allowed: at least 2", shape.size());
    return convert_layout(values, PhysicalSize{shape[shape.size() - 2], shape.back()}, from, to,
                          tile, face);
}

// Convert a matrix of m × n to tiles of faces (nfaces) or of rows (swizzled), and back.
template <class T>
[[nodiscard]] std::vector<T> tilize_nfaces(const std::vector<T>& values, std::uint32_t m,
                                           std::uint32_t n) {
    return convert_layout(values, PhysicalSize{m, n}, TensorLayoutType::LIN_ROW_MAJOR,
                          TensorLayoutType::TILED_NFACES);
}
template <class T>
[[nodiscard]] std::vector<T> untilize_nfaces(const std::vector<T>& values, std::uint32_t m,
                                             std::uint32_t n) {
    return convert_layout(values, PhysicalSize{m, n}, TensorLayoutType::TILED_NFACES,
                          TensorLayoutType::LIN_ROW_MAJOR);
}
template <class T>
[[nodiscard]] std::vector<T> tilize_swizzled(const std::vector<T>& values, std::uint32_t m,
                                             std::uint32_t n) {
    return convert_layout(values, PhysicalSize{m, n}, TensorLayoutType::LIN_ROW_MAJOR,
                          TensorLayoutType::TILED_SWIZZLED);
}
template <class T>
[[nodiscard]] std::vector<T> untilize_swizzled(const std::vector<T>& values, std::uint32_t m,
                                               std::uint32_t n) {
    return convert_layout(values, PhysicalSize{m, n}, TensorLayoutType::TILED_SWIZZLED,
                          TensorLayoutType::LIN_ROW_MAJOR);
}

// Do the same in place, under older names.
template <class T>
void tilize(std::vector<T>& values, std::uint32_t m, std::uint32_t n) {
    values = tilize_nfaces(values, m, n);
}
template <class T>
void untilize(std::vector<T>& values, std::uint32_t m, std::uint32_t n) {
    values = untilize_nfaces(values, m, n);
}

// Convert tiles with row-major elements to tiles of faces, and back.
template <class T>
[[nodiscard]] std::vector<T> convert_layout_tile_swizzled_to_tile_nfaces(
    std::span<const T> values, std::optional<PhysicalSize> tile = std::nullopt,
    std::optional<PhysicalSize> face = std::nullopt) {
    return convert_layout(values, tile.value_or(PhysicalSize{32, 32}),
                          TensorLayoutType::TILED_SWIZZLED, TensorLayoutType::TILED_NFACES, tile,
                          face);
}
template <class T>
[[nodiscard]] std::vector<T> convert_layout_tile_nfaces_to_tile_swizzled(
    std::span<const T> values, std::optional<PhysicalSize> tile = std::nullopt,
    std::optional<PhysicalSize> face = std::nullopt) {
    return convert_layout(values, tile.value_or(PhysicalSize{32, 32}),
                          TensorLayoutType::TILED_NFACES, TensorLayoutType::TILED_SWIZZLED, tile,
                          face);
}
template <class T>
[[nodiscard]] std::vector<T> convert_to_tile_layout(const std::vector<T>& values) {
    return convert_layout_tile_swizzled_to_tile_nfaces(std::span<const T>(values));
}
template <class T>
[[nodiscard]] std::vector<T> convert_to_flat_layout(const std::vector<T>& values) {
    return convert_layout_tile_nfaces_to_tile_swizzled(std::span<const T>(values));
}
