// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of kernels that make rows of ranges of other rows.
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::column_moves {

enum class Cb : std::uint32_t {
    Rows = 0,
    Detour = 1,  // memory for ranges that have another alignment than their place
};

NAMED_COMPILE_ARGS(ReaderArgs, page_bytes,
                   block,       // rows that travel together
                   groups,      // parts of an output row
                   split,       // parts of an input row
                   num_ranges,  // ranges of a part: 1 or 2
                   // Bytes of the two ranges: where one begins in a part, its size, and the
                   // distance from one part's range to the next one's.
                   first_begin, first_bytes, first_stride, second_begin, second_bytes,
                   second_stride,
                   alignment);  // alignment of DRAM
NAMED_TENSORS(ReaderTensors, first, second);
NAMED_RUNTIME_ARGS(RowRange, first_row, num_rows);

NAMED_COMPILE_ARGS(WriterArgs, row_bytes, page_bytes, block);
NAMED_TENSORS(WriterTensors, output);

}  // namespace tessera::ops::column_moves
