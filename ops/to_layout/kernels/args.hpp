// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of to_layout's kernels. A block is a stretch of a row of tiles.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::to_layout {

enum class Cb : std::uint32_t { Input = 0, Output = 16 };

NAMED_COMPILE_ARGS(RowArgs, matrix_rows, row_bytes, block_tiles, blocks_per_row, block_bytes);
NAMED_COMPILE_ARGS(TileArgs,
                   tile_columns,  // tile columns of a matrix
                   block_tiles, blocks_per_row);
NAMED_COMPILE_ARGS(ComputeArgs, block_tiles);
NAMED_TENSORS(ReaderTensors, input);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(BlockRange, first_block, num_blocks);
NAMED_RUNTIME_ARGS(BlockCount, num_blocks);

}  // namespace tessera::ops::to_layout
