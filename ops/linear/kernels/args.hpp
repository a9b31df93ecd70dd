// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernels of linear whose cores share K.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::linear {

enum class Cb : std::uint32_t {
    Rows = 0,   // of the input, as they are in memory
    Tiles = 1,  // the rows of a block, tilized
    Weights = 2,
    Bias = 3,      // a tile for each column of tiles, in its row 0
    Partial = 4,   // sums over this core's part of K
    Gathered = 5,  // partial sums of all members for the tiles that this core finishes
    Asked = 6,     // the push of weights that reader and writer read together
    Output = 16,
};

/// A block of rows has up to four tile rows, and a strip as many output tiles side by side that all
/// of its tiles fit in DST.
NAMED_COMPILE_ARGS(LinearArgs, rows,
                   row_bytes,  // of the input
                   columns,
                   k_tiles,      // of a row of weights
                   block_tiles,  // tile rows of a block
                   strip,        // output tiles side by side
                   k_block,      // K tiles of a push of weights
                   k_chunk,      // K tiles of rows that are tilized together
                   members,      // cores that share K
                   most_owned,   // output tiles of a block that a member finishes, at the most
                   has_bias,
                   banks,       // of DRAM
                   bank_step);  // from the bank of a tile to that of the next row of tiles
NAMED_TENSORS(ReaderTensors, rows, weights, bias);
NAMED_TENSORS(WriterTensors, output, weights);

/// Part of K and of the columns that a core has, in tiles.
NAMED_RUNTIME_ARGS(Share, first_k, num_k, first_column, num_columns, member,
                   writer_banks);  // a bit for each bank whose weights the writer reads
NAMED_RUNTIME_ARGS(Semaphores, arrived, finished);

/// Returns the first of `count` tiles that a member finishes; that of the next one is the end.
constexpr std::uint32_t first_owned(std::uint32_t count, std::uint32_t members,
                                    std::uint32_t member) {
    return count * member / members;
}

inline constexpr std::uint32_t kRowsOfTile = 32;
inline constexpr std::uint32_t kTileRowBytes = 64;  // of bfloat16

/// Returns the tile rows of a block of rows; the last block may have fewer.
constexpr std::uint32_t tile_rows_of(const LinearArgs& args, std::uint32_t block) {
    const std::uint32_t all = (args.rows + kRowsOfTile - 1) / kRowsOfTile;
    const std::uint32_t left = all - block * args.block_tiles;
    return left < args.block_tiles ? left : args.block_tiles;
}
constexpr std::uint32_t num_blocks(const LinearArgs& args) {
    const std::uint32_t rows = kRowsOfTile * args.block_tiles;
    return (args.rows + rows - 1) / rows;
}

}  // namespace tessera::ops::linear
