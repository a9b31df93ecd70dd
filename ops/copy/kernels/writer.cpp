// SPDX-License-Identifier: Apache-2.0
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::copy;

void kernel_main() {
    constexpr uint32_t cb = index_of(Cb::Pages);
    const uint32_t output_address = WriterTensors::output_address();
    const auto range = PageRange::read(WriterTensors::Addresses::kCount);
    const auto output =
        TensorAccessor(WriterTensors::output(), output_address, PageArgs::read().page_size);

    for (uint32_t page = range.first_page; page < range.first_page + range.num_pages; ++page) {
        cb_wait_front(cb, 1);
        noc_async_write_page(page, output, get_read_ptr(cb));
        // The page may be refilled when its data has left L1; one barrier at the end waits for
        // arrival.
        noc_async_writes_flushed();
        cb_pop_front(cb, 1);
    }
    noc_async_write_barrier();
}
