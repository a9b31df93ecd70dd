// SPDX-License-Identifier: Apache-2.0
// Copies the pages of one sharded buffer that are in this core's part of another. Arguments:
// addresses of both, first page, number of pages, step between pages.
#include "dataflow_api.h"

void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<0>();
    constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0), 2048);
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1), 2048);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t step = get_arg_val<uint32_t>(4);
    cb_reserve_back(tt::CBIndex::c_0, 1);
    const uint32_t l1 = get_write_ptr(tt::CBIndex::c_0);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t page = first + i * step;
        noc_async_read(from.get_noc_addr(page), l1, 2048);
        noc_async_read_barrier();
        noc_async_write(l1, to.get_noc_addr(page), 2048);
        noc_async_write_barrier();
    }
}
