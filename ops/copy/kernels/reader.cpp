// SPDX-License-Identifier: Apache-2.0
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::copy;

void kernel_main() {
    constexpr uint32_t cb = index_of(Cb::Pages);
    const uint32_t input_address = ReaderTensors::input_address();
    const auto range = PageRange::read(ReaderTensors::Addresses::kCount);
    const auto input =
        TensorAccessor(ReaderTensors::input(), input_address, PageArgs::read().page_size);

    for (uint32_t page = range.first_page; page < range.first_page + range.num_pages; ++page) {
        cb_reserve_back(cb, 1);
        noc_async_read_page(page, input, get_write_ptr(cb));
        // A page at a time: two pages in the buffer overlap the read with the write before.
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}
