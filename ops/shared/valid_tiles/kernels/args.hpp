// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of kernels over the tiles that hold routed tokens.
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::valid_tiles {

enum class Cb : std::uint32_t {
    Input = 0,  // tiles of the op's operands
    SecondInput = 1,
    ReaderCounts = 2,   // counts of tokens, plain memory of the reader
    WriterCounts = 3,   // the same, of the writer
    ComputeBlocks = 4,  // descriptions of blocks, reader to compute
    WriterBlocks = 5,   // reader to writer
    ZeroTile = 6,       // plain memory of the writer
    Part = 7,           // sums of a part of K, on their way to another core
    Arrived = 8,        // those of other cores
    Output = 16
};

// How a kernel obtains its blocks of tiles.
enum class Split : std::uint32_t {
    ByHost,   // from runtime arguments
    ByCore,   // each kernel of a core computes the same share from the counts
    ByReader  // the reader announces each block; a block without rows ends them
};

// Words of the description of a block: first tile, rows and columns of tiles, tokens from the
// block's first row on.
inline constexpr std::uint32_t kBlockWords = 4;

// Replaces compute's number of blocks: the reader pushes it first.
inline constexpr std::uint32_t kCountFromReader = 0xFFFFFFFF;

// The (E/D,T,H) tensors in tiles.
NAMED_COMPILE_ARGS(TileArgs, num_experts,
                   token_tiles,                            // rows of tiles of one expert
                   column_tiles);                          // tiles of one row
NAMED_COMPILE_ARGS(CountArgs, counts_stride);              // bytes between experts' counts in L1
NAMED_COMPILE_ARGS(BlockArgs, block_height, block_width);  // tiles
NAMED_COMPILE_ARGS(SplitArgs, split);                      // a value of Split

// The core's share of the blocks for its reader and its writer: with Split::ByHost HostBlocks and
// HostTiles, else CoreOfGrid for both.
NAMED_RUNTIME_ARGS(HostBlocks, first, stride, count);
NAMED_RUNTIME_ARGS(HostTiles, num_blocks, first_zero, num_zeros);
NAMED_RUNTIME_ARGS(CoreOfGrid,
                   index,  // in the order in which split_work_to_cores distributes
                   num_cores,
                   round_robin);  // 1: one block per core in turn; 0: contiguous ranges

// For compute: the host's number or kCountFromReader.
NAMED_RUNTIME_ARGS(BlockCount, num_blocks);

// The cores that have other parts of K; the writer gathers their sums of each block.
NAMED_COMPILE_ARGS(PartArgs, num_parts, ready_semaphore, arrived_semaphore);
NAMED_TENSORS(WriterTensors, output, counts);
// After the writer's share: one for each of these cores.
NAMED_RUNTIME_ARGS(PartCore, x, y);

}  // namespace tessera::ops::valid_tiles
