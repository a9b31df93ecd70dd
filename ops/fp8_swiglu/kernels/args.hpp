// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of fp8_swiglu's kernels.
#pragma once

#include "../../fp8_grouped_matmul/kernels/args.hpp"
#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::fp8_swiglu {

// Stores strips as fp8_grouped_matmul does, and therefore with its numbers.
enum class Cb : std::uint32_t {
    Rows = 0,
    Gate = 1,
    Up = 2,
    Scales = 3,
    Values = 5,
    Largest = index_of(fp8_grouped_matmul::Cb::Largest),
    Scale = index_of(fp8_grouped_matmul::Cb::Scale),
    Units = index_of(fp8_grouped_matmul::Cb::Units),
    Table = index_of(fp8_grouped_matmul::Cb::Tables),
    ReadScaleRow = 13,
    WriterTable = index_of(fp8_grouped_matmul::Cb::WriterTable),
    Output = index_of(fp8_grouped_matmul::Cb::Output),
    ScaleRow = index_of(fp8_grouped_matmul::Cb::ScaleRow)
};

// A strip has 32 rows: those of several CTAs, or some of one.
NAMED_COMPILE_ARGS(StripArgs,
                   n_blocks,      // blocks of the output
                   cta_tokens,    // rows of a CTA
                   strip_ctas,    // CTAs of a strip
                   cta_strips,    // strips of a CTA
                   limit_bytes);  // of the table of CTAs
NAMED_COMPILE_ARGS(ReaderArgs,
                   first_gate,  // blocks of the input
                   first_up,
                   scale_stride);  // bytes between the scales of CTAs in L1
NAMED_TENSORS(ReaderTensors, rows, scales, limit, num_ctas);

NAMED_COMPILE_ARGS(WriterArgs, element_bytes, quantises);
NAMED_TENSORS(WriterTensors, limit, num_ctas, output, scales);
NAMED_COMPILE_ARGS(ComputeArgs, quantises);  // 1: to e4m3 with scales

}  // namespace tessera::ops::fp8_swiglu
