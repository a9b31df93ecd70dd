// SPDX-License-Identifier: Apache-2.0
// Arguments, circular buffers and messages of index_scores's kernels. A unit is a chunk of keys of
// one token.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::index_scores {

enum class Cb : std::uint32_t {
    HeadRows = 0,
    Heads = 1,  // tiles
    KeyRows = 2,
    Keys = 3,           // tiles
    WeightColumns = 4,  // in column 0
    Weights = 5,        // in every column
    KeyScales = 6,      // in row 0
    ComputeUnits = 7,   // a message for each unit
    WriterUnits = 8,
    Positions = 9,   // memory for a part of the list
    Pages = 10,      // memory for a row of the page table
    WeightRow = 11,  // memory for a token's weights and scales
    ScaleRow = 12,   // memory for scales of keys
    OutputRow = 13,  // memory for a row of scores
    Output = 16,
};

NAMED_COMPILE_ARGS(ReaderArgs, heads,
                   row_bytes,      // bytes of a head or key
                   element_tiles,  // tiles of a head or key
                   chunks,         // units of a token
                   key_tiles,      // key tiles of a unit
                   page_size,      // positions
                   table_width,    // pages of a sequence
                   tokens_each,    // tokens of a sequence
                   factor,         // factor of the weights, bits of a float
                   has_scales, position_width, stores_weights,
                   cache_positions,   // positions in a row of the cache's tensor
                   scale_positions);  // positions in a row of its scales' tensor
NAMED_TENSORS(ReaderTensors, q, weights, cache, page_table, positions,
              q_scale,       // left out with bfloat16
              cache_scale,   // left out with bfloat16
              weights_out);  // may be left out
NAMED_RUNTIME_ARGS(UnitRange, first_unit, num_units);

NAMED_COMPILE_ARGS(ComputeArgs, head_tiles, element_tiles);

NAMED_COMPILE_ARGS(WriterArgs, num_positions, key_tiles);
NAMED_TENSORS(WriterTensors, scores);

/// First word of a message to compute; the number of key tiles follows.
enum Announced : std::uint32_t { kEnd, kUnit, kUnitOfNewToken };
/// Words of a message to the writer.
enum WriterWord : std::uint32_t {
    kTokenWord,  // plus 1; 0 ends
    kFirstKeyWord,
    kNumTilesWord,
    kNumSeenWord
};

}  // namespace tessera::ops::index_scores
