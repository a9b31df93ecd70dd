// SPDX-License-Identifier: Apache-2.0
// Rows that go through a core as tiles of 1024 consecutive elements, several short ones in one.
#pragma once

#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "args.hpp"

namespace {

struct Units {
    uint32_t row_bytes;   // bytes of N elements
    uint32_t row_stride;  // in L1
    uint32_t unit_rows;
    uint32_t unit_tiles;
    CountedRows counted;

    bool has_rows(uint32_t unit) const {
        for (uint32_t row = unit * unit_rows; row < (unit + 1) * unit_rows; ++row) {
            if (counted.is_counted(row)) {
                return true;
            }
        }
        return false;
    }
};

// Returns the units with the entries of the table that a core needs. Only adjacent units have a table
// of rows; counts of batches are all read.
template <class Accessor>
Units units_with(const Accessor& counts, uint32_t cb_counts,
                 const tessera::ops::activation::UnitRange& range) {
    const auto args = tessera::ops::activation::UnitArgs::read();
    const uint32_t first = range.first_unit;
    const uint32_t count = range.num_units;
    return {.row_bytes = args.row_bytes,
            .row_stride = args.row_stride,
            .unit_rows = args.unit_rows,
            .unit_tiles = args.unit_tiles,
            .counted = counted_rows(counts, cb_counts, first * args.unit_rows,
                                    (first + count) * args.unit_rows)};
}

}  // namespace
