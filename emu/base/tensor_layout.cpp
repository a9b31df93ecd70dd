// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_layout.hpp"

#include <algorithm>
#include <cstring>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

std::uint32_t tiles_over(std::uint32_t extent, std::uint32_t side) {
    return extent / side + (extent % side != 0 ? 1 : 0);
}

/// Calls `move_row(offset in tile, offset in values, bytes)` for each face row of a tiny tile that
/// contains values.
template <class MoveRow>
void for_each_tiny_row(Tile tile, std::uint32_t element_bytes, std::uint32_t rows,
                       std::uint32_t columns, std::size_t row_bytes, MoveRow move_row) {
    const std::uint32_t across = tile.get_width() / kFaceColumns;
    for (std::uint32_t row = 0; row < rows; ++row) {
        for (std::uint32_t column = 0; column < columns; column += kFaceColumns) {
            const std::uint32_t face = row / kFaceRows * across + column / kFaceColumns;
            const std::size_t in_tile = std::size_t{face} * tile.get_face_hw() +
                                        std::size_t{row % kFaceRows} * kFaceColumns;
            move_row(in_tile * element_bytes, row * row_bytes + std::size_t{column} * element_bytes,
                     std::size_t{std::min(columns - column, kFaceColumns)} * element_bytes);
        }
    }
}

/// Does the same for a 32×32 tile. The compiler knows the size of whole rows: one or two vector
/// moves.
template <std::size_t ElementBytes, class MoveRow>
void for_each_face_row(std::uint32_t rows, std::uint32_t columns, std::size_t row_bytes,
                       MoveRow move_row) {
    constexpr std::size_t face_row_bytes = kFaceColumns * ElementBytes;
    for (std::uint32_t row = 0; row < rows; ++row) {
        const std::size_t left = tile_offset(row, 0) * ElementBytes;
        const std::size_t right = tile_offset(row, kFaceColumns) * ElementBytes;
        const std::size_t at = row * row_bytes;
        if (columns == kTileColumns) {
            move_row(left, at, std::integral_constant<std::size_t, face_row_bytes>());
            move_row(right, at + face_row_bytes,
                     std::integral_constant<std::size_t, face_row_bytes>());
            continue;
        }
        move_row(left, at, std::min(columns, kFaceColumns) * ElementBytes);
        if (columns > kFaceColumns) {
            move_row(right, at + face_row_bytes, (columns - kFaceColumns) * ElementBytes);
        }
    }
}

template <class MoveRow>
void for_each_face_row(Tile tile, std::uint32_t element_bytes, std::uint32_t rows,
                       std::uint32_t columns, std::size_t row_bytes, MoveRow move_row) {
    if (tile.is_tiny()) {
        return for_each_tiny_row(tile, element_bytes, rows, columns, row_bytes, move_row);
    }
    switch (element_bytes) {
        case 1:
            return for_each_face_row<1>(rows, columns, row_bytes, move_row);
        case 2:
            return for_each_face_row<2>(rows, columns, row_bytes, move_row);
        default:
            ensure(element_bytes == 4, "tensor layout: elements of {} bytes", element_bytes);
            return for_each_face_row<4>(rows, columns, row_bytes, move_row);
    }
}

}  // namespace

TensorLayout::TensorLayout(const TensorSpec& spec)
    : layout_(spec.layout),
      tile_(spec.tile),
      element_bytes_(element_bytes(spec.format)),
      page_size_(spec.page_size()),
      num_pages_(spec.num_pages()),
      value_bytes_(num_elements(spec.shape) * element_bytes_) {
    require(!is_block_format(spec.format),
            "TensorLayout: shape {}: values of {} cannot come from the host; write bfloat16 and "
            "convert on the device",
            to_string(spec.shape), name_of(spec.format));
    columns_ = spec.shape.empty() ? 1 : spec.shape.back();
    rows_ = spec.shape.size() < 2 ? 1 : spec.shape[spec.shape.size() - 2];
    tiles_down_ = tiles_over(rows_, tile_.get_height());
    tiles_across_ = tiles_over(columns_, tile_.get_width());
}

TensorLayout::Patch TensorLayout::patch_of(std::uint32_t page_index) const noexcept {
    const std::uint32_t across = page_index % tiles_across_;
    const std::uint32_t down = page_index / tiles_across_ % tiles_down_;
    const std::uint32_t matrix = page_index / tiles_across_ / tiles_down_;
    const auto [height, width] = tile_.get_tile_shape();
    const std::uint64_t row = std::uint64_t{matrix} * rows_ + std::uint64_t{down} * height;
    const std::uint64_t column = std::uint64_t{across} * width;
    return {(row * columns_ + column) * element_bytes_, std::min(height, rows_ - down * height),
            std::min(width, columns_ - across * width)};
}

void TensorLayout::check(std::size_t values, std::uint32_t page_index, std::size_t page) const {
    ensure(
        values == value_bytes_ && page == page_size_ && page_index < num_pages_,
        "tensor layout: {} bytes of values, page {} of {} bytes; due are {} bytes, page below {} "
        "of {}",
        values, page_index, page, value_bytes_, num_pages_, page_size_);
}

void TensorLayout::pack(std::span<const std::byte> values, std::uint32_t page_index,
                        std::span<std::byte> page) const {
    check(values.size(), page_index, page.size());
    if (layout_ == Layout::ROW_MAJOR) {
        std::memcpy(page.data(), values.data() + std::uint64_t{page_index} * page_size_,
                    page_size_);
        return;
    }
    const Patch patch = patch_of(page_index);
    if (patch.rows < tile_.get_height() || patch.columns < tile_.get_width()) {
        std::ranges::fill(page, std::byte{0});
    }
    for_each_face_row(tile_, element_bytes_, patch.rows, patch.columns,
                      std::size_t{columns_} * element_bytes_,
                      [to = page.data(), from = values.data() + patch.first_byte](
                          std::size_t in_tile, std::size_t in_values, auto bytes) {
                          std::memcpy(to + in_tile, from + in_values, bytes);
                      });
}

void TensorLayout::unpack(std::span<const std::byte> page, std::uint32_t page_index,
                          std::span<std::byte> values) const {
    check(values.size(), page_index, page.size());
    if (layout_ == Layout::ROW_MAJOR) {
        std::memcpy(values.data() + std::uint64_t{page_index} * page_size_, page.data(),
                    page_size_);
        return;
    }
    const Patch patch = patch_of(page_index);
    for_each_face_row(tile_, element_bytes_, patch.rows, patch.columns,
                      std::size_t{columns_} * element_bytes_,
                      [from = page.data(), to = values.data() + patch.first_byte](
                          std::size_t in_tile, std::size_t in_values, auto bytes) {
                          std::memcpy(to + in_values, from + in_tile, bytes);
                      });
}

}  // namespace tessera
