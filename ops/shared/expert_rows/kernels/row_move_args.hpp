// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of gather_rows' kernels, whose program move_rows makes.
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::row_moves {

enum class Cb : std::uint32_t { Rows = 0, Indices = 1, ReaderLimit = 2, WriterLimit = 3, Fill = 4 };

/// Meaning of the word of `limit`: nothing, the rows of the output, or those of the input.
enum class Limit : std::uint32_t { None, OfOutput, OfInput };

NAMED_COMPILE_ARGS(PieceArgs, row_bytes,
                   piece_bytes,  // a row is cut into pieces of this length and a rest
                   page_bytes,   // page of the CB: a piece, aligned for DRAM reads
                   block,        // pages of one push
                   limited);     // Limit
NAMED_COMPILE_ARGS(ReaderArgs,
                   input_rows,   // rows that may be copied
                   divisor,      // row index / divisor is copied
                   index_width,  // entries of a page of the index; 0: rows from `first_row` on
                   first_row,
                   fill,              // word of rows that the input does not have
                   entries_at_once);  // entries of the index in L1
NAMED_TENSORS(ReaderTensors, input, index, limit);

NAMED_COMPILE_ARGS(WriterArgs, output_first);  // output row of the first moved row
NAMED_TENSORS(WriterTensors, limit, output);

/// Rows of the output, from `output_first` on. With a limit of the output a core has an equal part of
/// the rows below it instead.
NAMED_RUNTIME_ARGS(RowRange, first_row, num_rows, part, num_parts, all_rows);

}  // namespace tessera::ops::row_moves
