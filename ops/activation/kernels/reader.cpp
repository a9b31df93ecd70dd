// SPDX-License-Identifier: Apache-2.0
// Reads 32 rows at a time and sorts their gate and up apart, 128 columns of each a push.
#include "dataflow_api.h"

namespace {

constexpr uint32_t kCbGateRows = 0;
constexpr uint32_t kCbUpRows = 1;
constexpr uint32_t kCbScratch = 4;
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;
enum Gate : uint32_t { kNone, kFirst, kSecond, kInterleaved };

uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// Elements of a row: the first one, and the distance to the next.
struct Part {
    uint32_t first;
    uint32_t step;
};

struct Strip {
    uint32_t rows;
    uint32_t row_stride;
    uint32_t column;
    uint32_t columns;
};

// Elements beyond the matrix are left as they are: each is activated by itself.
void push(uint32_t cb, const Part& part, const Strip& strip) {
    cb_reserve_back(cb, kStripTiles);
    for (uint32_t row = 0; row < strip.rows; ++row) {
        const auto* from = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(
                               get_write_ptr(kCbScratch) + row * strip.row_stride) +
                           part.first + strip.column * part.step;
        auto* to = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb)) + row * kBlock;
        for (uint32_t column = 0; column < strip.columns; ++column) {
            to[column] = from[column * part.step];
        }
    }
    cb_push_back(cb, kStripTiles);
}

}  // namespace

void kernel_main() {
    const uint32_t first_group = get_arg_val<uint32_t>(0);
    const uint32_t num_groups = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_compile_time_arg_val(0);
    const uint32_t width = get_compile_time_arg_val(1);
    const uint32_t columns = get_compile_time_arg_val(2);  // of the output
    const uint32_t row_stride = get_compile_time_arg_val(3);
    const uint32_t gate = get_compile_time_arg_val(4);
    const TensorAccessor input(TensorAccessorArgs<5>(), get_arg_val<uint32_t>(2));

    const uint32_t step = gate == kInterleaved ? 2 : 1;
    const Part gates{gate == kSecond ? columns : 0, step};
    const Part ups{gate == kInterleaved ? 1 : gate == kSecond ? 0 : columns, step};
    for (uint32_t group = first_group; group < first_group + num_groups; ++group) {
        const uint32_t first = group * kTileRows;
        const uint32_t count = smaller(kTileRows, rows - first);
        for (uint32_t row = 0; row < count; ++row) {
            noc_async_read(input.get_noc_addr(first + row),
                           get_write_ptr(kCbScratch) + row * row_stride, width * sizeof(uint16_t));
        }
        noc_async_read_barrier();
        for (uint32_t column = 0; column < columns; column += kBlock) {
            const Strip strip{count, row_stride, column, smaller(kBlock, columns - column)};
            push(kCbGateRows, gates, strip);
            if (gate != kNone) {
                push(kCbUpRows, ups, strip);
            }
        }
    }
}
