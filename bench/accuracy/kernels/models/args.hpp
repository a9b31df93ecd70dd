// SPDX-License-Identifier: Apache-2.0
// Arguments of kernels of steps of models, which their programs share.
#pragma once

#include "../../../../ops/shared/kernels/named_args.hpp"

namespace tessera::score {

NAMED_COMPILE_ARGS(TileReadArgs, run,
                   skipped,  // pages after each run that are not read
                   filler_words);
NAMED_TENSORS(TileReadTensors, pages);
NAMED_RUNTIME_ARGS(TileReadRange, page,
                   place,  // index of the page in its run
                   count);

NAMED_COMPILE_ARGS(TileWriteArgs, cb,
                   step,  // distance between pages
                   has_barriers);
NAMED_TENSORS(TileWriteTensors, pages);
NAMED_RUNTIME_ARGS(TileWriteRange, page, count);

NAMED_COMPILE_ARGS(FaceRowArgs, channels, rows, column_tiles,
                   line_bytes);  // bytes of a face row
NAMED_TENSORS(FaceRowTensors, output);
NAMED_RUNTIME_ARGS(FaceRowRange, first_tile, num_tiles,
                   first_filled,  // output tile with padding
                   num_filled);

NAMED_COMPILE_ARGS(CacheReadArgs, tiles, table_pages,
                   position_bytes,  // 0: shards
                   table_bytes);
NAMED_TENSORS(CacheReadTensors, cache, positions, table);
NAMED_RUNTIME_ARGS(CacheReadRow, first_tile, is_left_out, user);

NAMED_COMPILE_ARGS(CacheWriteArgs, tiles, table_pages, row_bytes);
NAMED_TENSORS(CacheWriteTensors, cache);
NAMED_RUNTIME_ARGS(CacheWriteRow, first_tile, is_left_out,
                   offset);  // of the row in the block

NAMED_RUNTIME_ARGS(DecodeKeys, key_tiles);
NAMED_TENSORS(DecodeReaderTensors, keys, values);
// The cache block of each tile of keys follows.
NAMED_RUNTIME_ARGS(DecodeQueries, head_tiles, key_tiles,
                   address,  // of the queries
                   bytes);
NAMED_RUNTIME_ARGS(DecodeWriterArgs, key_tiles,
                   zeros,  // address of the core's zeros
                   zero_bytes);

NAMED_COMPILE_ARGS(RowGatherArgs, index_bytes, piece_bytes, block_tiles);
NAMED_TENSORS(RowGatherTensors, indices, table);
// The rows follow.
NAMED_RUNTIME_ARGS(RowGatherPlace, offset);  // of the piece in a row

NAMED_COMPILE_ARGS(ShardBinaryArgs, multiplies, silu);
NAMED_RUNTIME_ARGS(ShardBlocks, blocks, block_tiles);
NAMED_RUNTIME_ARGS(ShardTiles, tiles);

NAMED_COMPILE_ARGS(ShardMulticastArgs, num_holders, shard_tiles,
                   columns,      // of the grid of holders
                   num_cores,    // in the rectangle, with or without a kernel
                   num_replies,  // in the rectangle, with a kernel
                   replies, flag, valid);
NAMED_RUNTIME_ARGS(ShardMulticastPlace, start_x, start_y, end_x, end_y,
                   position,    // index of this core among the holders
                   takes_part,  // whether this core is in the rectangle
                   has_work,    // whether this core has output
                   first_x, first_y);

NAMED_COMPILE_ARGS(HandOverArgs, cb, pages);
NAMED_COMPILE_ARGS(RingForwardArgs, size, counter,
                   tiles,     // per shard, padding included
                   width,     // tiles per row
                   k_tiles);  // K tiles of the tensor; padding beyond is not sent
NAMED_RUNTIME_ARGS(RingPlace, position, next_x, next_y, is_hop);
NAMED_COMPILE_ARGS(RingProductArgs, ring_size,
                   width,    // K tiles of a shard
                   k_tiles,  // K tiles of the tensor; padding beyond is not multiplied
                   columns,  // output tiles of this core
                   untilizes);
NAMED_RUNTIME_ARGS(RingPosition, position);

}  // namespace tessera::score
