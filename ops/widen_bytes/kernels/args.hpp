// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers that host and kernels share.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::widen_bytes {

enum class Cb : std::uint32_t { Bytes = 0, Output = 16 };

/// Columns of a piece: the elements of a tile.
inline constexpr std::uint32_t kPieceColumns = 1024;

NAMED_COMPILE_ARGS(PieceArgs, columns,
                   pieces);  // of a row
NAMED_TENSORS(ReaderTensors, bytes);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(PieceRange, first_piece, num_pieces);
NAMED_RUNTIME_ARGS(PieceCount, num_pieces);

}  // namespace tessera::ops::widen_bytes
