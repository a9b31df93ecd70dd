// SPDX-License-Identifier: Apache-2.0
// Reads this device's pages and sends each batch forward to all devices in this direction. The
// writer on the same core sends the pages backward and copies them.
#pragma once

#include "multicast_pages.hpp"

namespace {

template <typename Accessor>
class Batches {
public:
    Batches(const OwnPages& pages, const Accessor& input) : pages_(pages), input_(input) {}

    void begin_read(uint32_t batch) {
        cb_reserve_back(kCbPages, pages_.batch);
        place_ = get_write_ptr(kCbPages);
        uint32_t l1_address = place_;
        for (uint32_t page = pages_.begin(batch); page < pages_.end(batch); ++page) {
            noc_async_read_page(page, input_, l1_address);
            l1_address += get_local_cb_interface(kCbPages).fifo_page_size;
        }
    }
    // Pushes the pages that were read to the writer. Returns their address.
    uint32_t end_read() {
        noc_async_read_barrier();
        cb_push_back(kCbPages, pages_.batch);
        return place_;
    }

private:
    const OwnPages& pages_;
    const Accessor& input_;
    uint32_t place_ = 0;
};

template <typename Packets, typename Accessor>
void send_batch(const OwnPages& pages, uint32_t batch, const Accessor& output, uint32_t source,
                Side<Packets>& ahead) {
    for (uint32_t page = pages.begin(batch); page < pages.end(batch); ++page) {
        ahead.add(source, output.get_noc_addr(pages.placed + page));
        source += get_local_cb_interface(kCbPages).fifo_page_size;
    }
    ahead.flush();
}

template <typename Packets>
void read_and_send() {
    const auto addresses = ReaderTensors::Addresses::read();
    constexpr uint32_t kFirst = ReaderTensors::Addresses::kCount;
    const auto core = MulticastReaderCore::read(kFirst);
    constexpr uint32_t kFirstPage = kFirst + MulticastReaderCore::kCount;
    const OwnPages pages{OwnPagesArgs::read(kFirstPage)};
    Side<Packets> ahead(kFirstPage + OwnPagesArgs::kCount, core.page_bytes, core.packing);

    const auto input = TensorAccessor(ReaderTensors::input(), addresses.input);
    const auto output = TensorAccessor(ReaderTensors::output(), addresses.output);
    auto* told = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(core.told_semaphore));

    // Nothing may reach a device before its program has started.
    ahead.count_up(core.told_semaphore);
    noc_semaphore_wait_min(told, core.num_others);

    // With read_ahead, a batch is read while the previous one is sent, so the link does not wait
    // for DRAM.
    Batches batches(pages, input);
    const uint32_t num_batches = pages.num_batches();
    if (num_batches != 0) {
        batches.begin_read(0);
    }
    for (uint32_t batch = 0; batch < num_batches; ++batch) {
        const uint32_t source = batches.end_read();
        const bool has_next = batch + 1 < num_batches;
        if (has_next && core.reads_ahead != 0) {
            batches.begin_read(batch + 1);
        }
        send_batch(pages, batch, output, source, ahead);
        if (has_next && core.reads_ahead == 0) {
            batches.begin_read(batch + 1);
        }
    }
    // The increment follows all data that its device has sent in this direction.
    ahead.count_up(core.told_semaphore);
    ahead.close();
    noc_semaphore_wait_min(told, 2 * core.num_others);
}

}  // namespace
