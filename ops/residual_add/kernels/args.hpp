// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of residual_add's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::residual_add {

enum class Cb : std::uint32_t { A = 0, B = 1, Output = 16 };

/// How rows are split into pieces of a tile, or combined to one.
NAMED_COMPILE_ARGS(PieceArgs, rows, row_bytes,
                   of_row,        // pieces of a row
                   rows_of_tile,  // rows of a piece
                   stride);       // bytes from one row's place in a tile to the next one's
NAMED_TENSORS(ReaderTensors, a, b);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(PieceRange, first_piece, num_pieces);
NAMED_RUNTIME_ARGS(PieceCount, num_pieces);

}  // namespace tessera::ops::residual_add
