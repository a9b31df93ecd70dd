// SPDX-License-Identifier: Apache-2.0
// Stores the sums of this core's tokens, chunk by chunk of the row, in the format that they are
// packed in.
#include "dataflow_api.h"

void kernel_main() {
    constexpr uint32_t kCbSum = 16;
    const uint32_t out_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_token = get_arg_val<uint32_t>(1);
    const uint32_t num_tokens = get_arg_val<uint32_t>(2);
    const uint32_t row_bytes = get_compile_time_arg_val(0);
    const uint32_t chunk_tiles = get_compile_time_arg_val(1);
    const TensorAccessor out(TensorAccessorArgs<2>(), out_addr);

    const uint32_t chunk_bytes = chunk_tiles * get_tile_size(kCbSum);
    for (uint32_t token = first_token; token < first_token + num_tokens; ++token) {
        for (uint32_t offset = 0; offset < row_bytes; offset += chunk_bytes) {
            const uint32_t left = row_bytes - offset;
            cb_wait_front(kCbSum, chunk_tiles);
            noc_async_write(get_read_ptr(kCbSum), out.get_noc_addr(token, offset),
                            left < chunk_bytes ? left : chunk_bytes);
            noc_async_writes_flushed();
            cb_pop_front(kCbSum, chunk_tiles);
        }
    }
    noc_async_write_barrier();
}
