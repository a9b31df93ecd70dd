// SPDX-License-Identifier: Apache-2.0
// Stores the sums of this core's tokens.
#include "sum.hpp"

void kernel_main() {
    const uint32_t row_bytes = get_compile_time_arg_val(0);
    constexpr auto output_args = TensorAccessorArgs<1>();
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(0));
    const uint32_t first_token = get_arg_val<uint32_t>(1);
    const uint32_t num_tokens = get_arg_val<uint32_t>(2);

    for (uint32_t token = first_token; token < first_token + num_tokens; ++token) {
        for (uint32_t offset = 0; offset < row_bytes; offset += kTileBytes) {
            const uint32_t left = row_bytes - offset;
            cb_wait_front(kCbSum, 1);
            noc_async_write(get_read_ptr(kCbSum), output.get_noc_addr(token, offset),
                            left < kTileBytes ? left : kTileBytes);
            // The tile's data has left L1; arrival is awaited once, at the end.
            noc_async_writes_flushed();
            cb_pop_front(kCbSum, 1);
        }
    }
    noc_async_write_barrier();
}
