// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernels of linear whose cores share operands by multicast.
#pragma once

#include "args.hpp"

namespace tessera::ops::linear {

enum class MulticastCb : std::uint32_t {
    Rows = 0,        // this core's next block of the input, as it is in memory
    OwnTiles = 1,    // that block, tilized
    Tiles = 2,       // blocks of the input that all cores of a row multiply
    OwnWeights = 3,  // this core's next block of weights
    Weights = 4,     // blocks of weights that all cores of a column multiply
    Bias = 5,        // a tile for each column of tiles of a pass, in its row 0
    Sums = 6,        // of a pass
    Output = 16,
};

/// A pass is a block of output tiles of a core. It goes through K in blocks of `k_block` tiles.
NAMED_COMPILE_ARGS(MulticastArgs, rows,
                   row_bytes,  // of the input
                   columns,
                   k_tiles,        // of a row of weights
                   height,         // tile rows of a pass, at the most
                   width,          // column tiles of a pass, at the most
                   k_block,        // K tiles of a block
                   row_passes,     // for all rows of a core
                   column_passes,  // for all columns of a core
                   has_bias);
NAMED_TENSORS(MulticastReads, rows, weights, bias);
NAMED_TENSORS(MulticastWrites, output);

/// Output tiles of a core.
NAMED_RUNTIME_ARGS(MulticastShare, first_row, num_rows, first_column, num_columns);
/// Cores that take turns, and the position of this one.
NAMED_RUNTIME_ARGS(Turns, num_cores, position);

/// Adjacent output tiles that are stored together: their rows are written in pieces of 256 bytes.
inline constexpr std::uint32_t kOutTiles = 4;

/// Returns how many of `all` come after the first `first`, at most `most`.
constexpr std::uint32_t clamped_count(std::uint32_t all, std::uint32_t first, std::uint32_t most) {
    const std::uint32_t left = all > first ? all - first : 0;
    return left < most ? left : most;
}

/// Output tiles of a core in one pass, counted from its first ones.
struct Pass {
    std::uint32_t row;
    std::uint32_t num_rows;
    std::uint32_t column;
    std::uint32_t num_columns;
};

/// Returns pass `number`. Cores may have one tile less than others, so that a pass may be empty.
constexpr Pass pass_of(const MulticastArgs& args, const MulticastShare& share,
                       std::uint32_t number) {
    const std::uint32_t row = number / args.column_passes * args.height;
    const std::uint32_t column = number % args.column_passes * args.width;
    return {row, clamped_count(share.num_rows, row, args.height), column,
            clamped_count(share.num_columns, column, args.width)};
}

constexpr std::uint32_t num_passes(const MulticastArgs& args) {
    return args.row_passes * args.column_passes;
}
constexpr std::uint32_t k_blocks(const MulticastArgs& args) {
    return (args.k_tiles + args.k_block - 1) / args.k_block;
}

/// Blocks before its turn at which a core begins to read or to tilize its own. It has sent the one
/// before by then. A launch would begin with reads of blocks that are needed late, if cores began as
/// early as they can: 512 rows of 7168 with 7168 columns took 1.04 times as long.
constexpr std::uint32_t tilize_lead(std::uint32_t num_cores) {
    return num_cores < 4 ? 1 : 2;
}
constexpr std::uint32_t row_lead(std::uint32_t num_cores) {
    return num_cores < 4 ? num_cores - 1 : 3;
}
constexpr std::uint32_t weight_lead(std::uint32_t num_cores) {
    return num_cores < 4 ? 1 : 2;
}

}  // namespace tessera::ops::linear
