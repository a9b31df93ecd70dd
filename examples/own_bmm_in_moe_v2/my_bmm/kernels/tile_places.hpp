// SPDX-License-Identifier: Apache-2.0
// Positions of output tiles. Tiles are numbered over the rows of tiles that hold tokens.
#pragma once

#include <cstdint>

struct TilePlace {
    uint32_t expert;
    uint32_t row;
    uint32_t column;
};

/// Reads its layout from the runtime arguments from `first_arg` on: cores, rows of tiles of one
/// expert, columns of tiles, experts, then for each expert the rows that hold tokens.
class TilePlaces {
public:
    explicit TilePlaces(uint32_t first_arg) : first_arg_(first_arg) {}
    uint32_t num_cores() const { return get_arg_val<uint32_t>(first_arg_); }
    uint32_t rows() const { return get_arg_val<uint32_t>(first_arg_ + 1); }
    uint32_t columns() const { return get_arg_val<uint32_t>(first_arg_ + 2); }

    TilePlace operator[](uint32_t tile) const {
        const uint32_t num_experts = get_arg_val<uint32_t>(first_arg_ + 3);
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
        return get_arg_val<uint32_t>(first_arg_ + 4 + expert);
    }
    uint32_t first_arg_;
};
