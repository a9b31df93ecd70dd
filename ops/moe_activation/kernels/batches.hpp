// SPDX-License-Identifier: Apache-2.0
// Which rows count: all, the first ones of equal batches, or those that a table has.
#pragma once

#include "../../expert_rows/kernels/table_words.hpp"

namespace {

enum CountedBy : uint32_t { kAll, kBatches, kPresence };

// The compile-time arguments that reader and writer share.
struct Units {
    uint32_t row_bytes;   // of N elements
    uint32_t row_stride;  // in L1
    uint32_t unit_rows;
    uint32_t unit_tiles;
    uint32_t rows;
    uint32_t batches;
    uint32_t counted_by;
    uint32_t table_width;   // entries of a page of the table
    uint32_t table_stride;  // bytes of a page in L1
    const tt_l1_ptr uint32_t* counts;
    uint32_t first_page;

    bool is_counted(uint32_t row) const {
        if (row >= rows || counted_by == kAll) {
            return row < rows;
        }
        if (counted_by == kPresence) {
            const uint32_t page = row / table_width - first_page;
            return counts[page * table_stride / 4 + row % table_width] != kNobody;
        }
        const uint32_t batch_rows = rows / batches;
        return row % batch_rows < counts[row / batch_rows];
    }
    bool has_rows(uint32_t unit) const {
        for (uint32_t row = unit * unit_rows; row < (unit + 1) * unit_rows; ++row) {
            if (is_counted(row)) {
                return true;
            }
        }
        return false;
    }
};

// With what the units [first, first + count) need of the table.
template <class Accessor>
Units units_with(const Accessor& counts, uint32_t cb_counts, uint32_t first, uint32_t count) {
    Units units{get_compile_time_arg_val(0),
                get_compile_time_arg_val(1),
                get_compile_time_arg_val(2),
                get_compile_time_arg_val(3),
                get_compile_time_arg_val(4),
                get_compile_time_arg_val(5),
                get_compile_time_arg_val(6),
                get_compile_time_arg_val(7),
                get_compile_time_arg_val(8),
                words_at(get_write_ptr(cb_counts)),
                0};
    if (units.counted_by == kBatches) {
        read_counts(counts, units.batches, get_compile_time_arg_val(9) != 0,
                    get_write_ptr(cb_counts));
    }
    if (units.counted_by == kPresence) {
        const uint32_t end = (first + count) * units.unit_rows;
        const uint32_t last = (end < units.rows ? end : units.rows) - 1;
        units.first_page = first * units.unit_rows / units.table_width;
        read_pages(counts, units.first_page, last / units.table_width - units.first_page + 1,
                   get_write_ptr(cb_counts), units.table_stride, units.table_width * 4);
    }
    return units;
}

}  // namespace
