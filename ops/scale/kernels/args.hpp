// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers that host and kernels share.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::scale {

enum class Cb : std::uint32_t { Input = 0, Output = 16 };

NAMED_TENSORS(ReaderTensors, input);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(TileRange, first_tile, num_tiles);

NAMED_COMPILE_ARGS(ComputeArgs, factor);  // bits of a float
NAMED_RUNTIME_ARGS(TileCount, num_tiles);

}  // namespace tessera::ops::scale
