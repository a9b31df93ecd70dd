// SPDX-License-Identifier: Apache-2.0
// Sends the reader's pages to all devices in the backward direction, and copies them.
#pragma once

#include "multicast_pages.hpp"

namespace {

template <typename Packets>
void send_and_copy() {
    const uint32_t output_address = WriterTensors::output_address();
    constexpr uint32_t kFirst = WriterTensors::Addresses::kCount;
    const auto core = MulticastWriterCore::read(kFirst);
    constexpr uint32_t kFirstPage = kFirst + MulticastWriterCore::kCount;
    const OwnPages pages{OwnPagesArgs::read(kFirstPage)};
    Side<Packets> behind(kFirstPage + OwnPagesArgs::kCount, core.page_bytes, core.packing);

    const auto output = TensorAccessor(WriterTensors::output(), output_address);

    // The reader waits for the start of each other device; until then the circular buffer is empty.
    behind.count_up(core.told_semaphore);
    for (uint32_t batch = 0; batch < pages.num_batches(); ++batch) {
        cb_wait_front(kCbPages, pages.batch);
        uint32_t source = get_read_ptr(kCbPages);
        for (uint32_t page = pages.begin(batch); page < pages.end(batch); ++page) {
            const uint64_t destination = output.get_noc_addr(pages.placed + page);
            behind.add(source, destination);
            noc_async_write<NOC_MAX_BURST_SIZE + 1, true, true>(source, destination,
                                                                core.page_bytes);
            source += get_local_cb_interface(kCbPages).fifo_page_size;
        }
        noc_async_posted_writes_flushed();
        behind.flush();
        cb_pop_front(kCbPages, pages.batch);
    }
    behind.count_up(core.told_semaphore);
    behind.close();
    noc_async_write_barrier();
}

}  // namespace
