// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of scatter_moe_input's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::scatter_moe_input {

enum class Cb : std::uint32_t {
    Rows = 0,  // pieces of rows, reader to writer
    // The others are plain memory of one kernel.
    Indices = 1,      // a part of an expert's row of routed_tokens
    ReaderCount = 2,  // an expert's number of tokens
    WriterCount = 3,
    Zeros = 4  // a piece
};

inline constexpr std::uint32_t kIndexEntries = 512;  // entries of routed_tokens per read

// How rows pass through the circular buffer.
NAMED_COMPILE_ARGS(PieceArgs,
                   num_tokens,  // rows of each expert in the output
                   row_bytes,
                   piece_bytes,  // a row is cut into pieces of this length and a rest
                   page_bytes,   // a piece, aligned for reads from DRAM
                   block);       // pages per push

NAMED_TENSORS(ReaderTensors, hidden, counts, routed);
NAMED_TENSORS(WriterTensors, counts, output);
// After the addresses of the tensors: the core's rows of the output.
NAMED_RUNTIME_ARGS(RowRange, first_row, num_rows);

}  // namespace tessera::ops::scatter_moe_input
