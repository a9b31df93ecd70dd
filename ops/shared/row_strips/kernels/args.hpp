// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of kernels over strips of rows. A unit is 32 rows.
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::row_strips {

enum class Cb : std::uint32_t {
    Rows = 0,     // strips of the input
    Tiles = 1,    // a unit as tiles
    Vectors = 2,  // the first vector as tiles whose row 0 holds it
    SecondVector = 3,
    Ones = 4,             // one tile
    Sums = 5,             // a tile of sums over the tiles of a unit
    High = 6,             // upper and lower bits of these as bfloat16
    Low = 7,              //
    FirstStatistic = 8,   // of each row, in every column
    SecondStatistic = 9,  //
    VectorRow = 10,       // memory for a row of a vector
    Output = 16,          // strips of the output
};

NAMED_COMPILE_ARGS(RowsArgs, count, columns,
                   element,  // bytes
                   fill,     // word in columns that rows do not have
                   // Not 0: row r counts up to a column that depends on its place (RowStrips).
                   visible_rows, visible_period, first_visible);
NAMED_COMPILE_ARGS(VectorArgs, num_vectors);
/// Operands that the program does not have are left out.
NAMED_TENSORS(ReaderTensors, input, first_operand, second_operand);
NAMED_RUNTIME_ARGS(UnitRange, first_unit, num_units);

NAMED_COMPILE_ARGS(StripArgs, strips);  // of a row
NAMED_RUNTIME_ARGS(UnitCount, num_units);

}  // namespace tessera::ops::row_strips
