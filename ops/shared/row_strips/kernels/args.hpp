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
    FirstStatistic = 8,   // statistic of each row, in every column
    SecondStatistic = 9,  //
    ThirdStatistic = 10,  //
    // For cores that share the columns of a unit:
    Part = 11,       // a core's part of a statistic, in every column
    Gathered = 12,   // at the leader: parts of all cores, a column each
    Merged = 13,     // at the leader: the statistic
    VectorRow = 15,  // memory for a row of a vector, behind the buffers of rope
    Output = 16,     // strips of the output
};

NAMED_COMPILE_ARGS(RowsArgs, count, columns,
                   element,  // bytes
                   fill,     // word in columns that rows do not have
                   // Not 0: row r counts up to a column that depends on its position (RowStrips).
                   visible_rows, visible_period, first_visible);
NAMED_COMPILE_ARGS(SplitArgs, num_vectors,
                   num_statistics);  // of a row: 1 to 3
/// Operands that the program does not have are left out.
NAMED_TENSORS(ReaderTensors, input, first_operand, second_operand);
NAMED_RUNTIME_ARGS(UnitRange, first_unit, num_units);

NAMED_COMPILE_ARGS(StripArgs, strips);  // strips of a row
NAMED_RUNTIME_ARGS(UnitCount, num_units);

/// Columns of a core of a split, of units first_unit, first_unit + unit_step, …
NAMED_RUNTIME_ARGS(ColumnShare, first_unit, unit_step, num_units, first_strip,
                   num_strips);  // of 4 tiles
/// Members of a split; member 0 leads: it merges the parts of all.
NAMED_RUNTIME_ARGS(SplitMember, member, members);
/// The leader as the NoC names it, and its semaphore of parts that have arrived.
NAMED_RUNTIME_ARGS(PartsArgs, leader_x, leader_y, parts_semaphore);

NAMED_COMPILE_ARGS(SplitWriterArgs, rows, columns, element_bytes);
NAMED_TENSORS(SplitWriterTensors, output);

}  // namespace tessera::ops::row_strips
