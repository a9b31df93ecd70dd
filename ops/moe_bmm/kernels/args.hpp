// SPDX-License-Identifier: Apache-2.0
// Arguments of moe_bmm's kernels; circular buffers and the rest are those of valid_tiles.
#pragma once

#include "../../shared/valid_tiles/kernels/args.hpp"

namespace tessera::ops::moe_bmm {

NAMED_COMPILE_ARGS(InnerArgs,
                   k_tiles,   // of the whole inner extent
                   k_block);  // K tiles of one push
NAMED_TENSORS(ReaderTensors, input, weights, counts);

// After the addresses, of reader.cpp: valid_tiles' HostBlocks or CoreOfGrid, then its part of K.
NAMED_RUNTIME_ARGS(InnerRange, first_k, end_k);  // tiles
// For multicast_reader.cpp: CoreOfGrid, which counts rows of cores, then CoreOfRow, BlockSenderArgs
// and BlockReceiverArgs.
NAMED_RUNTIME_ARGS(CoreOfRow, column, num_columns);

// For compute, beside InnerArgs and BlockArgs. Its runtime arguments are BlockCount and InnerRange.
NAMED_COMPILE_ARGS(ComputeArgs,
                   num_parts_arriving,  // cores whose sums this core adds
                   cb_out);             // Cb::Output, or Cb::Part if another core adds

// For send_part.cpp, beside TileArgs and BlockArgs.
NAMED_COMPILE_ARGS(SenderArgs, ready_semaphore, arrived_semaphore);
NAMED_TENSORS(SenderTensors, counts);
// After the address of the counts and CoreOfGrid.
NAMED_RUNTIME_ARGS(AdderCore, x, y,
                   part);  // of K, from 1

}  // namespace tessera::ops::moe_bmm
