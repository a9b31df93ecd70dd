// SPDX-License-Identifier: Apache-2.0
// Code that readers of moe_bmm share: blocks of output tiles, and the operands' tiles in L1.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/valid_tiles/kernels/core_share.hpp"
#include "args.hpp"

constexpr uint32_t cb_in0 = index_of(ValidCb::Input);
constexpr uint32_t cb_in1 = index_of(ValidCb::SecondInput);
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

struct Shapes : TileArgs, tessera::ops::valid_tiles::BlockArgs, tessera::ops::moe_bmm::InnerArgs {
    uint32_t tile_size;
};

inline Shapes read_shapes(const TileArgs& tiles) {
    return {tiles, tessera::ops::valid_tiles::BlockArgs::read(),
            tessera::ops::moe_bmm::InnerArgs::read(), static_cast<uint32_t>(get_tile_size(cb_in0))};
}

// A block of output tiles of one expert; the row counts through the tensor.
struct Block {
    uint32_t expert;
    uint32_t row;
    uint32_t column;
    uint32_t rows;
    uint32_t columns;
    uint32_t num_tokens;  // from its first row on
};

// Reads the tiles of a block's rows, K tiles side by side, each row as long as a whole block of K.
template <class Accessor>
void read_in0(const Accessor& in0, const Shapes& shapes, const Block& block, uint32_t first_k,
              uint32_t num_k) {
    const uint32_t l1_addr = get_write_ptr(cb_in0);
    for (uint32_t row = 0; row < block.rows; ++row) {
        const uint32_t first_tile = (block.row + row) * shapes.k_tiles + first_k;
        const uint32_t row_l1 = l1_addr + row * shapes.k_block * shapes.tile_size;
        for (uint32_t k = 0; k < num_k; ++k) {
            noc_async_read_page(first_tile + k, in0, row_l1 + k * shapes.tile_size);
        }
    }
}

// Reads the tiles of a block's columns, one row of them for each k, each row as long as a whole
// block.
template <class Accessor>
void read_in1(const Accessor& in1, const Shapes& shapes, const Block& block, uint32_t first_k,
              uint32_t num_k) {
    const uint32_t l1_addr = get_write_ptr(cb_in1);
    const uint32_t first_row = block.expert * shapes.k_tiles + first_k;
    for (uint32_t k = 0; k < num_k; ++k) {
        const uint32_t first_tile = (first_row + k) * shapes.column_tiles + block.column;
        const uint32_t row_l1 = l1_addr + k * shapes.block_width * shapes.tile_size;
        for (uint32_t column = 0; column < block.columns; ++column) {
            noc_async_read_page(first_tile + column, in1, row_l1 + column * shapes.tile_size);
        }
    }
}
