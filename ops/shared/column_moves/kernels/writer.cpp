// SPDX-License-Identifier: Apache-2.0
// Stores rows [first, first + count) as they come, a block of them at a time.
#include "dataflow_api.h"

void kernel_main() {
    constexpr uint32_t kCbRows = 0;
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t end = first + get_arg_val<uint32_t>(1);
    const uint32_t row_bytes = get_compile_time_arg_val(0);
    const uint32_t page_bytes = get_compile_time_arg_val(1);
    const uint32_t block = get_compile_time_arg_val(2);
    const TensorAccessor output(TensorAccessorArgs<3>(), get_arg_val<uint32_t>(2));

    for (uint32_t row = first; row < end; row += block) {
        cb_wait_front(kCbRows, block);
        for (uint32_t i = 0; i < block && row + i < end; ++i) {
            noc_async_write(get_read_ptr(kCbRows) + i * page_bytes, output.get_noc_addr(row + i),
                            row_bytes);
        }
        // The rows have left L1; the reader may fill their pages again.
        noc_async_writes_flushed();
        cb_pop_front(kCbRows, block);
    }
    noc_async_write_barrier();
}
