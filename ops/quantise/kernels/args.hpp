// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of quantise's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops {

/// Elements that share a scale: 128 columns of a row, a whole row, 128 columns of 128 rows, a
/// matrix of a stack, or all that counts. Static: all have the scale of an operand. Row16 and
/// Row32: 16 or 32 columns of a row, with scales of a byte.
enum class ScaleBlock : std::uint32_t {
    Row128,
    Row,
    Square128,
    Matrix,
    Tensor,
    Static,
    Row16,
    Row32
};

/// e4m3, or integers to ±127 or ±7. No format of this machine has bytes with a sign. Integers of
/// rows are kept as bfloat16, which has them exactly. Those of tiles are magnitudes of bfp8_b or
/// bfp4_b under one exponent for all: a byte, or half of one, each, and 64 bytes a tile. Int8Bytes
/// are those of rows that travel: uint8, 128 more than the integer (fp8::kByteZero). E2m1: two
/// codes a byte, the even column in the low half.
enum class Codes : std::uint32_t { Fp8E4m3, Int8, Int4, Int8Bytes, E2m1 };

}  // namespace tessera::ops

namespace tessera::ops::quantise {

// Circular buffers of rows. The second half is for tiles, whose one kernel has scratch alone.
enum class Cb : std::uint32_t {
    Rows = 0,
    ReaderCounts = 1,
    WriterCounts = 2,
    Exchange = 3,  // what cores tell each other of a tensor
    Ones = 4,
    Values = 5,
    Largest = 6,
    Scale = 7,
    Partial = 8,      // largest magnitudes by column of a tile
    OtherValues = 9,  // of every second group of pieces
    Output = 16,
    Scales = 17
};
enum class TileCb : std::uint32_t { Values = 0, Codes = 1, Scales = 2 };

// The kernels of rows also take expert_rows::CountedArgs; a group is of rows that share scales.
NAMED_COMPILE_ARGS(ReaderArgs, columns, element_bytes,
                   row_tiles);  // of a group
NAMED_TENSORS(ReaderTensors, input, counts);
NAMED_RUNTIME_ARGS(GroupRange, first_group, num_groups);

NAMED_COMPILE_ARGS(ComputeArgs,
                   strips,  // of a block
                   form);   // fp8::CodeForm
NAMED_RUNTIME_ARGS(BlockCount, num_blocks);

NAMED_COMPILE_ARGS(WriterArgs, columns,
                   block,         // ScaleBlock
                   row_tiles,     // of a group
                   rule,          // ScaleRule
                   scale_stride,  // bytes in L1 between the scales of rows
                   scale_bytes,   // of a row
                   code_bytes,    // of an element
                   most_bits);    // largest code, fp32
NAMED_TENSORS(WriterTensors, codes, scales, counts, static_scale);
// After those of TensorRange and WriterTensors; then the places of cores: of the first
// one, or, for this one, of all.
NAMED_RUNTIME_ARGS(Exchange, core, num_cores);
NAMED_RUNTIME_ARGS(CorePlace, x, y);

/// How compute sends the largest magnitudes of a strip: not at all, by row in column 0, or by row
/// and column of a tile, which the writer reduces.
enum class Largest : std::uint32_t { None, OfRows, OfColumns };

// Arguments for rows in pieces of 128 columns, counted row by row; a group is a core's turn.
NAMED_COMPILE_ARGS(PieceArgs, columns,
                   pieces,        // of a row
                   group_pieces,  // whole rows, if a row has one scale
                   num_pieces);
NAMED_COMPILE_ARGS(PieceReaderArgs, element_bytes);
NAMED_COMPILE_ARGS(PieceComputeArgs,
                   strips,        // of a group
                   form,          // fp8::CodeForm
                   largest,       // Largest
                   scale_tiles);  // of a group: one for all strips, or one for each
NAMED_COMPILE_ARGS(PieceWriterArgs,
                   block,         // ScaleBlock
                   largest,       // Largest
                   rule,          // ScaleRule
                   scale_stride,  // bytes in L1 between the scales of rows
                   code_bytes,    // of an element
                   most_bits,     // largest code, fp32
                   scale_tiles);  // of a group

// Arguments for rows with one scale for all: tiles of 1024 elements as they are in memory, 8 pieces
// each.
inline constexpr std::uint32_t kTilePieces = 8;
inline constexpr std::uint32_t kTensorTurn = 3;  // tiles that kernels pass on at once
NAMED_COMPILE_ARGS(TensorArgs, columns,
                   pieces,  // of a row
                   num_pieces,
                   is_kept,   // 1: a core keeps its elements in L1; 0: they come twice
                   largest);  // Largest
NAMED_RUNTIME_ARGS(TensorRange, first_tile, num_tiles,
                   start);  // the turn with which the core starts; those before it come last
NAMED_COMPILE_ARGS(TensorWriterArgs,
                   rule,        // ScaleRule
                   code_bytes,  // of an element
                   most_bits,   // largest code, fp32
                   arrived,     // semaphores of the exchange
                   answered);

// Circular buffers of e2m1 codes. A piece is 1024 columns, a tile whose rows are 32 columns each.
enum class MicroCb : std::uint32_t {
    Rows = 0,
    ReaderCounts = 1,
    WriterCounts = 2,
    Values = 3,
    Magnitudes = 4,
    Ones = 5,
    Largest = 6,  // of each row of the tile, or of both of its halves
    Factors = 7,  // of the same, in column 0 of a tile
    Codes = 9,    // 0 to 15
    Pairs = 10,   // the factors that join two codes
    TensorScale = 11,
    OtherValues = 12,  // of every second turn
    Counted = 13,      // how many pieces compute gets
    Output = 16,
    Scales = 17
};
inline constexpr std::uint32_t kMicroPiece = 1024;  // columns
inline constexpr std::uint32_t kMicroTurn = 4;      // pieces that compute takes at once
inline constexpr std::uint32_t kMicroReads = 4;     // pieces that a barrier waits for

NAMED_COMPILE_ARGS(MicroArgs, columns,
                   pieces,   // of a row
                   halves);  // of a row of a tile, each with a scale: 2 for 16 columns
NAMED_RUNTIME_ARGS(MicroRange, first_piece, num_pieces);

NAMED_COMPILE_ARGS(TilesArgs, rows, columns,
                   row_tiles,      // of a unit
                   blocks,         // along the columns
                   is_by_row,      // 1: a scale for each row of a block
                   rule,           // ScaleRule
                   codes,          // Codes
                   code_bytes,     // of a tile
                   scale_stride);  // bytes in L1 between the scales of rows
NAMED_TENSORS(TilesTensors, input, codes, scales);
NAMED_RUNTIME_ARGS(UnitRange, first_unit, num_units);

}  // namespace tessera::ops::quantise
