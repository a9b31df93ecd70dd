// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernel of gather_columns.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::gather_columns {

enum class Cb : std::uint32_t {
    Row = 0,  // a row of the output, and one of zeros
    Table = 1,
    Input = 2,  // the whole input
};

NAMED_COMPILE_ARGS(GatherArgs, row_bytes,
                   row_stride,  // bytes to the row of zeros
                   input_rows, input_stride, input_bytes,
                   has_indices);  // 0: columns in order
NAMED_TENSORS(GatherTensors, input, indices, output);
NAMED_RUNTIME_ARGS(RowRange, first_row, num_rows);

}  // namespace tessera::ops::gather_columns
