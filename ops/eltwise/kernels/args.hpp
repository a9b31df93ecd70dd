// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of eltwise's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::eltwise {

enum class Cb : std::uint32_t { A = 0, B = 1, Output = 16 };

NAMED_COMPILE_ARGS(ReaderArgs,
                   num_inputs,       // 1 or 2
                   tiles_per_push);  // tiles of one push, read with one barrier
NAMED_TENSORS(ReaderTensors, a, b);
NAMED_RUNTIME_ARGS(ReaderRange, a_address, b_address, first_tile, num_tiles);

NAMED_COMPILE_ARGS(ComputeArgs,
                   function,  // EltwiseFunction
                   tiles_per_push,
                   approximate);  // 1: faster forms of functions of one tensor
NAMED_RUNTIME_ARGS(ComputeRange, num_tiles);

NAMED_COMPILE_ARGS(WriterArgs, tiles_per_push);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(WriterRange, output_address, first_tile, num_tiles);

}  // namespace tessera::ops::eltwise
