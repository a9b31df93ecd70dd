// SPDX-License-Identifier: Apache-2.0
// Rows that count: all, the first ones of equal batches, or those with a table entry.
#pragma once

#include "table_words.hpp"

namespace {

using tessera::ops::expert_rows::CountedArgs;
using tessera::ops::expert_rows::CountedForm;

struct CountedRows {
    uint32_t rows;
    uint32_t batches;
    CountedForm counted_by;
    uint32_t table_width;   // entries of a page of the table
    uint32_t table_stride;  // bytes of a page in L1
    const tt_l1_ptr uint32_t* counts;
    uint32_t first_page;

    bool is_counted(uint32_t row) const {
        if (row >= rows || counted_by == CountedForm::All) {
            return row < rows;
        }
        if (counted_by == CountedForm::ByPresence) {
            const uint32_t page = row / table_width - first_page;
            return counts[page * table_stride / 4 + row % table_width] != kNobody;
        }
        const uint32_t batch_rows = rows / batches;
        return row % batch_rows < counts[row / batch_rows];
    }
};

// Returns the rows with the entries of the table that rows [first, end) need.
template <class Accessor>
CountedRows counted_rows(const Accessor& counts, uint32_t cb_counts, uint32_t first, uint32_t end) {
    const auto args = CountedArgs::read();
    CountedRows counted{.rows = args.num_rows,
                        .batches = args.num_batches,
                        .counted_by = static_cast<CountedForm>(args.counted_by),
                        .table_width = args.table_width,
                        .table_stride = args.table_stride,
                        .counts = words_at(get_write_ptr(cb_counts)),
                        .first_page = 0};
    if (counted.counted_by == CountedForm::ByBatches) {
        read_counts(counts, counted.batches, args.is_paged != 0, get_write_ptr(cb_counts));
    }
    if (counted.counted_by == CountedForm::ByPresence) {
        const uint32_t last = (end < counted.rows ? end : counted.rows) - 1;
        counted.first_page = first / counted.table_width;
        read_pages(counts, counted.first_page, last / counted.table_width - counted.first_page + 1,
                   get_write_ptr(cb_counts), counted.table_stride, counted.table_width * 4);
    }
    return counted;
}

// Pieces of rows, `per_row` of each, that a core has.
struct PieceSpan {
    uint32_t per_row;
    uint32_t first;
    uint32_t end;
};

// Tells compute how many pieces of rows that count it gets.
inline void push_counted(const CountedRows& rows, const PieceSpan& pieces, uint32_t cb) {
    uint32_t count = 0;
    for (uint32_t piece = pieces.first; piece < pieces.end; ++piece) {
        count += rows.is_counted(piece / pieces.per_row) ? 1 : 0;
    }
    cb_reserve_back(cb, 1);
    words_at(get_write_ptr(cb))[0] = count;
    cb_push_back(cb, 1);
}

}  // namespace
