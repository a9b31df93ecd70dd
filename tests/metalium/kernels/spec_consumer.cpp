// SPDX-License-Identifier: Apache-2.0
// Writes the pages of the queue `in` to a buffer. Unnamed arguments: address, number of pages.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGen<true> target{.bank_base_address = get_vararg(0),
                                          .page_size = get_arg(args::page)};
    for (uint32_t i = 0; i < get_vararg(1); ++i) {
        cb_wait_front(dfb::in, 1);
        noc_async_write(get_read_ptr(dfb::in), get_noc_addr(i, target), get_arg(args::page));
        noc_async_write_barrier();
        cb_pop_front(dfb::in, 1);
    }
}
