// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of matmul's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::matmul {

enum class Cb : std::uint32_t {
    In0 = 0,
    In1 = 1,
    In0Shard = 2,  // in0's shard, where its blocks are copied out of it
    Out = 16,
    Partials = 24,
};

// Schedule of single tiles.

NAMED_COMPILE_ARGS(TileReaderArgs, k_tiles, n_tiles);
NAMED_TENSORS(TileReaderTensors, in0, in1);
NAMED_COMPILE_ARGS(TileComputeArgs, k_tiles);
NAMED_TENSORS(OutTensors, out);
NAMED_RUNTIME_ARGS(TileRange, first_tile, num_tiles);  // output tiles of this core
NAMED_RUNTIME_ARGS(TileCount, num_tiles);

// Schedules of blocks: sizes are in tiles, of the tensor or of one core's blocks.

NAMED_COMPILE_ARGS(BlockComputeArgs, block_h, block_w, block_k, num_k_blocks, subblock_h,
                   subblock_w,
                   accumulates_in_l1,  // 1: the packer adds partial sums
                   changes_format,     // 1: partial sums and output may differ in format
                   num_out_blocks);

NAMED_COMPILE_ARGS(In0Args,
                   k_tiles,  // tiles of a row of the tensor or of the shard
                   block_w, block_h, num_blocks_h, num_blocks_w);
NAMED_TENSORS(In0Tensors, in0);
NAMED_RUNTIME_ARGS(In0Range, first_tile,
                   num_rows);  // rows of the tensor from this core's first on

NAMED_COMPILE_ARGS(In0ShardArgs, is_in_place);  // 1: compute takes the blocks in the shard

NAMED_COMPILE_ARGS(In0RowArgs, block_h, block_w,
                   shard_w,  // tiles of a row of the shard
                   num_k_blocks, num_blocks_h, num_blocks_w);
NAMED_RUNTIME_ARGS(In0Row, start_x, start_y, end_x, end_y,  // corners in the order of the NoC
                   num_cores,
                   position,  // position of this core in its row
                   first_x, y, replies_semaphore, flag_semaphore,
                   valid_semaphore,  // stays VALID, to be sent as the flag
                   flushes);         // 1: waits until a block has left

NAMED_COMPILE_ARGS(In0ReceiverArgs, block_tiles, num_blocks);

NAMED_COMPILE_ARGS(In1Args, k_tiles, block_k);
NAMED_COMPILE_ARGS(OutArgs,
                   n_tiles,  // tiles of a row of the tensor
                   block_h, block_w, subblock_h, subblock_w, num_blocks_h, num_blocks_w,
                   is_sharded);
NAMED_TENSORS(In1Tensors, in1, out);
NAMED_RUNTIME_ARGS(In1Range, first_tile);
NAMED_RUNTIME_ARGS(OutRange,
                   num_rows,     // this core's rows inside of the tensor
                   num_columns,  // this core's columns inside of the tensor
                   first_tile);

}  // namespace tessera::ops::matmul
