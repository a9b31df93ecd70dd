// SPDX-License-Identifier: Apache-2.0
// Code that readers of moe_bmm share: blocks of output tiles, their announcement, and the operands'
// tiles in L1.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"

constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
constexpr uint32_t cb_counts = tt::CBIndex::c_2;
constexpr uint32_t cb_compute_blocks = tt::CBIndex::c_4;
constexpr uint32_t cb_writer_blocks = tt::CBIndex::c_5;
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

struct Shapes {
    uint32_t token_tiles;
    uint32_t k_tiles;
    uint32_t column_tiles;
    uint32_t k_block;
    uint32_t block_height;
    uint32_t block_width;
    uint32_t tile_size;
};

// A block of output tiles of one expert; the row counts through the tensor.
struct Block {
    uint32_t expert;
    uint32_t row;
    uint32_t column;
    uint32_t rows;
    uint32_t columns;
    uint32_t num_tokens;  // from its first row on
};

inline void announce(uint32_t cb, uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3) {
    cb_reserve_back(cb, 1);
    volatile tt_l1_ptr uint32_t* words =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
    words[0] = word0;
    words[1] = word1;
    words[2] = word2;
    words[3] = word3;
    cb_push_back(cb, 1);
}

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
