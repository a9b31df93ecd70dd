// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of fp8_swiglu's kernels.
#pragma once

#include "../../fp8_grouped_matmul/kernels/args.hpp"
#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::fp8_swiglu {

// Uses the writer of fp8_grouped_matmul and therefore its numbers.
enum class Cb : std::uint32_t {
    Rows = 0,
    Gate = 1,
    Up = 2,
    Scales = 3,
    Values = 5,
    Largest = index_of(fp8_grouped_matmul::Cb::Largest),
    Scale = index_of(fp8_grouped_matmul::Cb::Scale),
    Units = 10,
    Table = 12,
    ReadScaleRow = 13,
    WriterTable = index_of(fp8_grouped_matmul::Cb::WriterTable),
    Output = index_of(fp8_grouped_matmul::Cb::Output),
    ScaleRow = index_of(fp8_grouped_matmul::Cb::ScaleRow)
};

NAMED_COMPILE_ARGS(ReaderArgs,
                   n_blocks,    // blocks of the output
                   tile,        // tokens of a CTA
                   row_tiles,   // rows of tiles that hold them
                   first_gate,  // blocks of the input
                   first_up, table_bytes);
NAMED_TENSORS(ReaderTensors, rows, scales, limit, num_ctas);

NAMED_COMPILE_ARGS(ComputeArgs, quantises);  // 1: to e4m3 with scales

}  // namespace tessera::ops::fp8_swiglu
