// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of head_product's kernels. A unit is 32 tokens of a head; those
// of one head follow each other.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::head_product {

enum class Cb : std::uint32_t {
    InputRows = 0,
    Inputs = 1,  // tiles
    WeightRows = 2,
    Weights = 3,  // tiles
    Output = 16,
};
inline constexpr std::uint32_t kTileBytes = 2048;  // tile of bfloat16

NAMED_COMPILE_ARGS(ShapeArgs, tokens, heads, token_tiles, inner_tiles, outer_tiles,
                   row_tiles,  // tiles of a row of a head's weights
                   column_tiles,
                   is_transposed);  // 1: rows of weights are elements of the output
NAMED_COMPILE_ARGS(ReaderArgs, input_bytes,
                   head_rows,            // rows of a head's part of the weights
                   first_row, num_rows,  // range of rows that count
                   weight_bytes);
NAMED_TENSORS(ReaderTensors, input, weight);
NAMED_COMPILE_ARGS(WriterArgs, row_bytes);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(UnitRange, first_unit, num_units);

}  // namespace tessera::ops::head_product
