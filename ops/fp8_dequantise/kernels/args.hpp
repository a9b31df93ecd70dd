// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of fp8_dequantise's kernels.
#pragma once

#include "../../shared/fp8_blocks/kernels/args.hpp"
#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::fp8_dequantise {

enum class Cb : std::uint32_t {
    Rows = 0,
    Codes = 5,  // rows, tilized
    Scale = 7,
    ScaleRows = 13,
    Output = 16
};

// The writer has fp8::StripWriterArgs; a group is of 32 rows.
NAMED_COMPILE_ARGS(ReaderArgs, rows, columns,
                   block_rows,  // rows that share a row of scales
                   scale_bytes,
                   scale_stride);  // bytes between rows of scales in L1
NAMED_TENSORS(ReaderTensors, codes, scales);
NAMED_RUNTIME_ARGS(StripCount, num_strips);

}  // namespace tessera::ops::fp8_dequantise
