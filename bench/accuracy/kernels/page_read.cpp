// SPDX-License-Identifier: Apache-2.0
// Reads pages of an interleaved buffer in order; the first page follows the last one.
// Runtime args: address of the buffer, first page, number of reads.

#include "barrier_poll.hpp"

void kernel_main() {
    const uint32_t landing = get_compile_time_arg_val(0);
    const uint32_t per_barrier = get_compile_time_arg_val(1);  // 0: one barrier at the end
    const uint32_t num_pages = get_compile_time_arg_val(2);
    const uint32_t coordinator = get_compile_time_arg_val(3);
    constexpr auto args = TensorAccessorArgs<4>();
    const auto pages = TensorAccessor(args, get_arg_val<uint32_t>(0));
    uint32_t page = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);

    poll_barrier(coordinator, landing);
    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_read_page(page, pages, landing);
        page = page + 1 == num_pages ? 0 : page + 1;
        if (per_barrier != 0 && (i + 1) % per_barrier == 0) {
            noc_async_read_barrier();
        }
    }
    noc_async_read_barrier();
}
