// SPDX-License-Identifier: Apache-2.0
// Brings 32 rows of 128 columns at a time, group by group of those that share their scales.
// Rows that do not count are zeros.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_counts = index_of(Cb::ReaderCounts);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;

struct Strip {
    uint32_t row;
    uint32_t column;
    uint32_t bytes;  // of a row
    uint32_t element;
};

bool is_whole(const CountedRows& rows, const Strip& strip) {
    // A full strip needs no zeros; the check is cheaper than the stores.
    bool are_counted = strip.bytes == kBlock * strip.element;
    for (uint32_t row = strip.row; are_counted && row < strip.row + kTileRows; ++row) {
        are_counted = rows.is_counted(row);
    }
    return are_counted;
}

template <class Accessor>
void push(const Accessor& input, const CountedRows& rows, const Strip& strip) {
    const uint32_t stride = kBlock * strip.element;
    cb_reserve_back(cb_rows, kStripTiles);
    uint32_t l1_addr = get_write_ptr(cb_rows);
    // Elements beyond the matrix, or of rows that do not count, must not be the largest of their
    // block.
    if (!is_whole(rows, strip)) {
        fill_words(words_at(l1_addr), kTileRows * stride / 4, 0);
    }
    for (uint32_t row = strip.row; row < strip.row + kTileRows; ++row) {
        if (rows.is_counted(row)) {
            noc_async_read(input.get_noc_addr(row, strip.column * strip.element), l1_addr,
                           strip.bytes);
        }
        l1_addr += stride;
    }
    // One barrier for 32 rows.
    noc_async_read_barrier();
    cb_push_back(cb_rows, kStripTiles);
}

// Pushes the strips of a block of columns for a group of rows; they follow one another, as compute
// keeps them.
void push_block(const PageAccessor& input, const CountedRows& rows, const ReaderArgs& args,
                uint32_t first_row, uint32_t column) {
    const uint32_t left = args.columns - column;
    for (uint32_t i = 0; i < args.row_tiles; ++i) {
        push(input, rows,
             {first_row + i * kTileRows, column,
              (left < kBlock ? left : kBlock) * args.element_bytes, args.element_bytes});
    }
}

}  // namespace

void kernel_main() {
    const auto range = GroupRange::read();
    const auto args = ReaderArgs::read();
    const auto input =
        TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address(GroupRange::kCount));
    const auto counts =
        TensorAccessor(ReaderTensors::counts(), ReaderTensors::counts_address(GroupRange::kCount));
    const uint32_t group_rows = args.row_tiles * kTileRows;
    const uint32_t end_group = range.first_group + range.num_groups;
    const CountedRows rows =
        counted_rows(counts, cb_counts, range.first_group * group_rows, end_group * group_rows);

    for (uint32_t group = range.first_group; group < end_group; ++group) {
        for (uint32_t column = 0; column < args.columns; column += kBlock) {
            push_block(input, rows, args, group * group_rows, column);
        }
    }
}
