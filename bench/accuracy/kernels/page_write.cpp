// SPDX-License-Identifier: Apache-2.0
// Writes pages of an interleaved buffer in order; the first page follows the last one. One barrier
// at the end.
// Runtime args: address of the buffer, first page, number of writes.

#include "barrier_poll.hpp"

void kernel_main() {
    const uint32_t source = get_compile_time_arg_val(0);
    const uint32_t num_pages = get_compile_time_arg_val(1);
    const uint32_t coordinator = get_compile_time_arg_val(2);
    constexpr auto args = TensorAccessorArgs<3>();
    const auto pages = TensorAccessor(args, get_arg_val<uint32_t>(0));
    uint32_t page = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);

    poll_barrier(coordinator, source);
    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_write_page(page, pages, source);
        page = page + 1 == num_pages ? 0 : page + 1;
    }
    noc_async_write_barrier();
}
