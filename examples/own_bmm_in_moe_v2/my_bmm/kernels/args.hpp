// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers that host and kernels share.
#pragma once

#include "ops/shared/kernels/named_args.hpp"

namespace tessera::ops::my_bmm {

enum class Cb : std::uint32_t { Input = 0, Weights = 1, Output = 16 };

NAMED_TENSORS(ReaderTensors, input, weights);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(ReaderRange, first_tile, num_tiles, k_tiles);
NAMED_RUNTIME_ARGS(WriterRange, first_tile, num_tiles);
NAMED_RUNTIME_ARGS(ComputeRange, num_tiles, k_tiles);

// Rows and columns are tiles. The rows that hold tokens follow for each expert.
NAMED_RUNTIME_ARGS(TileLayout, num_cores, rows, columns, num_experts);

}  // namespace tessera::ops::my_bmm
