// SPDX-License-Identifier: Apache-2.0
// Writes the pages of the queue `in` to a buffer. Unnamed arguments: address, number of pages.
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"

void kernel_main() {
    const InterleavedAddrGen<true> target{.bank_base_address = get_vararg(0),
                                          .page_size = get_arg(args::page)};
    DataflowBuffer in(dfb::in);
    const Noc noc;
    for (uint32_t i = 0; i < get_vararg(1); ++i) {
        in.wait_front(1);
        noc_async_write(in.get_read_ptr(), get_noc_addr(i, target), get_arg(args::page));
        in.write_barrier(noc);
        in.pop_front(1);
    }
    in.finish();
}
