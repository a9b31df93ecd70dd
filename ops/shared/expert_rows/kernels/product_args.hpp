// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernels of a product of expert rows.
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::row_products {

enum class Cb : std::uint32_t {
    Rows = 0,     // rows in their memory format
    Tiles = 1,    // the rows of a unit, tilized
    Weights = 2,  // weights in their memory format
    Scales = 3,   // a tile of numbers by which rows are multiplied at the end
    ComputeUnits = 4,
    WriterUnits = 5,
    // Scratch of the data-movement kernels.
    Tables = 6,
    ReaderZeros = 7,
    WriterZeros = 8,
    Words = 9,
    // Scales in blocks: tiles of one block, and words of all blocks of a unit.
    RowScales = 10,
    ColumnScales = 11,
    Sums = 12,
    HeldRowScales = 13,
    HeldColumnScales = 14,
    Output = 16,
    // Packed weights: their codes as bytes, in words for the vector unit and in e4m3 for the matrix
    // unit (one memory); numbers of e2m1, and scales: exponents of bfp8_b tiles, or e4m3.
    CodeWords = 17,
    CodeBytes = 18,
    Numbers = 19,
    Exponents = 20,
    ZeroPoints = 21,
    HeldZeroPoints = 22,
    // Rows in the order of their columns, and the tiles that sort even and odd columns.
    PlainTiles = 23,
    Sorters = 24,
    Bias = 25,
    // With readers next to their banks: sums over a part of K, those of all parts, scratch of the
    // writer, and tiles of all rows, from which a core copies those that it multiplies.
    Partial = 26,
    Gathered = 27,
    WriterTables = 28,
    Chunk = 29,
    HeldFactor = 30  // of the expert
};

/// Weights in memory: numbers that the unpacker converts; unsigned 4-bit codes, two per byte; e2m1
/// codes with scales of e8m0 (OCP MX); or with scales of e4m3 (NVFP4).
enum class WeightForm : std::uint32_t { Numbers, UInt4, Mxfp4, Nvfp4 };

constexpr bool is_e2m1(WeightForm form) {
    return form == WeightForm::Mxfp4 || form == WeightForm::Nvfp4;
}

/// Layout of the counts of batches: one page for all, one page each, or no operand of counts.
enum class CountsForm : std::uint32_t { OnePage, PageEach, None };

/// Scales of rows: none, one for each row, or one for all.
enum class RowForm : std::uint32_t { None, EachRow, OneRow };

/// Announcement of the reader: no more units, a unit, or (to the writer) rows of zeros.
enum class Announced : std::uint32_t { End, Unit, ZeroUnit };

NAMED_COMPILE_ARGS(ReaderArgs,
                   is_batched,  // 1: batches of each expert; 0: a list of blocks
                   row_bytes,   // bytes of a row of the input
                   k_tiles, n_tiles,
                   strip,           // adjacent output tiles of a unit
                   k_block,         // K tiles of weights of one push
                   k_chunk,         // K tiles of rows of one push
                   run_height,      // tile rows that share a read of weights, at the most
                   chooses_height,  // 1: or one, if a core then reads less
                   sums,            // tiles of DST for the sums of a unit
                   element_bytes,
                   // With a list of rows.
                   block_size, reads_by_choice, writes_by_choice, top_k, num_choices, num_entries,
                   num_blocks,
                   scales_top_k,  // columns of topk_weights; 0: none
                   // With batches.
                   batch_rows, num_experts,
                   counts_form,  // CountsForm
                   // With scales.
                   row_form,  // RowForm
                   has_weight_scales, is_in_blocks,
                   n_each,    // columns that share a scale
                   n_scales,  // along N
                   n_parts,   // matrices of equal rows in one, each with blocks of its own
                   part_columns, part_scales, weight_blocks, row_blocks,
                   block_tiles,        // K tiles of one sum
                   scale_tiles,        // K tiles that share a scale
                   scale_bytes,        // bytes of a weight's scale: float32, bfloat16 or e8m0
                   scales_in_a_page,   // 1: one page has the scales of all experts
                   has_zero_points,    // 0 of UInt4: all are 8
                   has_factors,        // 1: a number for each expert
                   has_bias, columns,  // N
                   weight_form);       // WeightForm
// `ids` is the list, or the counts of batches.
NAMED_TENSORS(ReaderTensors, rows, weights, ids, experts, num_listed, topk_weights, row_scales,
              expert_scales, zero_points, bias, factors);
NAMED_RUNTIME_ARGS(CoreShare, core, num_cores);  // units are distributed over the cores by number

/// Tiles of packed bytes, 32 rows of 64 columns, and their words in one tile of the vector unit.
inline constexpr std::uint32_t kByteTilesInWords = 4;
inline constexpr std::uint32_t kByteTile = 1024;
/// Whether the 32 columns of each scale are half of a tile of packed codes. Even columns of 64 are a
/// tile of weights, so rows get two tiles for it: zeros take the place of the other 32 columns.
constexpr bool are_halved(WeightForm form, std::uint32_t block_tiles) {
    return form == WeightForm::UInt4 && block_tiles == 1;
}

/// Tiles of zeros and ones that sort columns; one more brings scales of e4m3 to their columns.
inline constexpr std::uint32_t kSorters = 4;
/// Pushes that Cb::Exponents and Cb::ZeroPoints hold.
inline constexpr std::uint32_t kExponentBuffers = 2;
inline constexpr std::uint32_t kZeroPointBuffers = 2;
/// Even columns and odd ones are two K tiles; their bytes have the same distance in Cb::CodeWords.
constexpr std::uint32_t word_tiles(std::uint32_t k_block, std::uint32_t strip) {
    return (k_block / 2 * strip + kByteTilesInWords - 1) / kByteTilesInWords;
}

/// Place of a list's table of experts in Cb::Tables, in bytes. Pieces of the list are before it.
inline constexpr std::uint32_t kHeldExperts = 2048;
/// Tile rows of an expert that share a read of weights, at the most: DST has room for as many sums.
inline constexpr std::uint32_t kMostTileRows = 8;
/// Returns the adjacent output tiles of a unit of `height` tile rows. All of its sums are in DST.
constexpr std::uint32_t columns_of_unit(std::uint32_t strip, std::uint32_t sums,
                                        std::uint32_t height) {
    const std::uint32_t most = sums / height;
    return most < strip ? most : strip;
}

NAMED_COMPILE_ARGS(ComputeArgs, k_tiles, strip, k_block, k_chunk,
                   run_height,  // as the reader's
                   sums,
                   chunks,  // chunks of K in tilizing
                   is_scaled, is_in_blocks, block_tiles, has_column_scales, has_row_scales,
                   has_bias,
                   weight_form);  // WeightForm

NAMED_COMPILE_ARGS(WriterArgs, strip, run_height, row_bytes);
NAMED_TENSORS(WriterTensors, output);

}  // namespace tessera::ops::row_products
