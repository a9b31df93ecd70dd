// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers that host and kernels share.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::widen_bytes {

enum class Cb : std::uint32_t {
    Bytes = 0,
    ReaderCounts = 1,
    WriterCounts = 2,
    // Buffers of e2m1 only: codes of even and of odd columns, in words and in e4m3 (one memory);
    // tiles that join them; scales as read, and in column 0 of a tile; ones in columns 0 to 15.
    CodeWords = 3,
    CodeBytes = 4,
    Joiners = 5,
    ScaleCodes = 6,
    Scales = 7,
    LeftHalf = 8,
    Counted = 9,  // how many pieces compute gets
    Output = 16
};

/// Bytes of a piece of a row: the elements of a tile.
inline constexpr std::uint32_t kPieceBytes = 1024;
/// Tiles of e2m1 numbers of a piece.
inline constexpr std::uint32_t kPieceTiles = 2;

NAMED_COMPILE_ARGS(PieceArgs, row_bytes,
                   pieces,   // of a row
                   halves);  // of 32 e2m1 numbers, each with a scale: 2 for 16 columns
NAMED_TENSORS(ReaderTensors, bytes, counts, scales);
NAMED_TENSORS(WriterTensors, output, counts);
NAMED_RUNTIME_ARGS(PieceRange, first_piece, num_pieces);

}  // namespace tessera::ops::widen_bytes
