// SPDX-License-Identifier: Apache-2.0
// Stores strips of 32 rows of 128 elements.
#include "dataflow_api.h"

void kernel_main() {
    constexpr uint32_t kCbOut = 16;
    constexpr uint32_t kTileRows = 32;
    constexpr uint32_t kStripTiles = 4;
    constexpr uint32_t kBlock = 128;
    const uint32_t first_group = get_arg_val<uint32_t>(0);
    const uint32_t num_groups = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_compile_time_arg_val(0);
    const uint32_t columns = get_compile_time_arg_val(1);
    const uint32_t element = get_compile_time_arg_val(2);
    const TensorAccessor out(TensorAccessorArgs<3>(), get_arg_val<uint32_t>(2));

    for (uint32_t group = first_group; group < first_group + num_groups; ++group) {
        const uint32_t first = group * kTileRows;
        const uint32_t end = rows - first < kTileRows ? rows : first + kTileRows;
        for (uint32_t column = 0; column < columns; column += kBlock) {
            const uint32_t left = columns - column;
            cb_wait_front(kCbOut, kStripTiles);
            uint32_t l1_addr = get_read_ptr(kCbOut);
            for (uint32_t row = first; row < end; ++row) {
                noc_async_write(l1_addr, out.get_noc_addr(row, column * element),
                                (left < kBlock ? left : kBlock) * element);
                l1_addr += kBlock * element;
            }
            noc_async_writes_flushed();
            cb_pop_front(kCbOut, kStripTiles);
        }
    }
    noc_async_write_barrier();
}
