// SPDX-License-Identifier: Apache-2.0
// Positions of output tiles. Tiles are numbered over the rows of tiles that hold tokens.
#pragma once

#include <cstdint>

#include "args.hpp"

namespace tessera::ops::my_bmm {

struct TilePlace {
    uint32_t expert;
    uint32_t row;
    uint32_t column;
};

/// Reads its layout, a TileLayout, from the runtime arguments from `first_arg` on.
class TilePlaces {
public:
    explicit TilePlaces(uint32_t first_arg) : layout_{first_arg} {}
    uint32_t num_cores() const { return layout_.num_cores(); }
    uint32_t rows() const { return layout_.rows(); }
    uint32_t columns() const { return layout_.columns(); }

    TilePlace operator[](uint32_t tile) const {
        const uint32_t num_experts = layout_.num_experts();
        uint32_t row = tile / columns();
        uint32_t expert = 0;
        while (expert + 1 < num_experts && row >= rows_of(expert)) {
            row -= rows_of(expert);
            ++expert;
        }
        return {expert, row, tile % columns()};
    }

private:
    uint32_t rows_of(uint32_t expert) const {
        return get_arg_val<uint32_t>(layout_.first_arg + TileLayout::kCount + expert);
    }
    TileLayout::Each layout_;
};

}  // namespace tessera::ops::my_bmm
