// SPDX-License-Identifier: Apache-2.0
// Reads pages of a buffer into the queue `out`. Adds `step` and the second unnamed argument to the
// first word of each page.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGen<true> source{.bank_base_address = get_arg(args::source),
                                          .page_size = get_arg(args::page)};
    for (uint32_t i = 0; i < get_arg(args::count); ++i) {
        cb_reserve_back(dfb::out, 1);
        const uint32_t l1 = get_write_ptr(dfb::out);
        noc_async_read(get_noc_addr(i, source), l1, get_arg(args::page));
        noc_async_read_barrier();
        *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1) += get_arg(args::step) + get_vararg(1);
        cb_push_back(dfb::out, 1);
    }
}
