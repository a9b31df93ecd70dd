// SPDX-License-Identifier: Apache-2.0
// Brings 32 rows of 128 columns at a time, group by group of those that share their scales.
#include "dataflow_api.h"

namespace {

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;

uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

void clear(uint32_t l1_addr, uint32_t bytes) {
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < bytes / sizeof(uint32_t); ++i) {
        words[i] = 0;
    }
}

}  // namespace

void kernel_main() {
    const uint32_t first_group = get_arg_val<uint32_t>(0);
    const uint32_t num_groups = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_compile_time_arg_val(0);
    const uint32_t columns = get_compile_time_arg_val(1);
    const uint32_t element = get_compile_time_arg_val(2);
    const uint32_t row_tiles = get_compile_time_arg_val(3);  // of a group
    const TensorAccessor input(TensorAccessorArgs<4>(), get_arg_val<uint32_t>(2));

    const uint32_t strip_bytes = kTileRows * kBlock * element;
    for (uint32_t group = first_group; group < first_group + num_groups; ++group) {
        const uint32_t group_row = group * row_tiles * kTileRows;
        for (uint32_t column = 0; column < columns; column += kBlock) {
            const uint32_t bytes = smaller(kBlock, columns - column) * element;
            for (uint32_t i = 0; i < row_tiles; ++i) {
                const uint32_t first = group_row + i * kTileRows;
                const uint32_t end = smaller(first + kTileRows, rows);
                cb_reserve_back(kCbRows, kStripTiles);
                uint32_t l1_addr = get_write_ptr(kCbRows);
                // What lies beyond the matrix must not be the largest of its block.
                if (bytes < kBlock * element || end < first + kTileRows) {
                    clear(l1_addr, strip_bytes);
                }
                for (uint32_t row = first; row < end; ++row) {
                    noc_async_read(input.get_noc_addr(row, column * element), l1_addr, bytes);
                    l1_addr += kBlock * element;
                }
                noc_async_read_barrier();
                cb_push_back(kCbRows, kStripTiles);
            }
        }
    }
}
