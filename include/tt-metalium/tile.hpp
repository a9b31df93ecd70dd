// SPDX-License-Identifier: Apache-2.0
// Shape of a tile.
#pragma once

#include <array>
#include <cstdint>

#include "tt-metalium/base_types.hpp"
#include "tt-metalium/constants.hpp"

namespace tt::tt_metal {

/// Height and width of the tiles of a circular buffer, in elements.
class Tile {
public:
    Tile() = default;
    explicit Tile(std::array<std::uint32_t, 2> shape, bool transpose = false)
        : shape_(shape), transpose_(transpose) {}

    [[nodiscard]] std::array<std::uint32_t, 2> get_tile_shape() const { return shape_; }
    [[nodiscard]] std::array<std::uint32_t, 2> get_face_shape() const {
        return {shape_[0] < constants::FACE_HEIGHT ? shape_[0] : constants::FACE_HEIGHT,
                constants::FACE_WIDTH};
    }
    [[nodiscard]] std::uint32_t get_height() const { return shape_[0]; }
    [[nodiscard]] std::uint32_t get_width() const { return shape_[1]; }
    [[nodiscard]] std::uint32_t get_num_faces() const {
        return get_tile_hw() / (get_face_shape()[0] * get_face_shape()[1]);
    }
    [[nodiscard]] std::uint32_t get_tile_hw() const { return shape_[0] * shape_[1]; }
    /// Returns the bytes of a tile of `format`.
    [[nodiscard]] std::uint32_t get_tile_size(DataFormat format) const {
        return tile_size(format) / constants::TILE_HW * get_tile_hw();
    }
    [[nodiscard]] bool get_transpose_of_faces() const { return transpose_; }
    friend bool operator==(const Tile&, const Tile&) = default;

private:
    std::array<std::uint32_t, 2> shape_{constants::TILE_HEIGHT, constants::TILE_WIDTH};
    bool transpose_ = false;
};

}  // namespace tt::tt_metal
