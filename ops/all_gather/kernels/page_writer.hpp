// SPDX-License-Identifier: Apache-2.0
// Sends pages to the same place of the next device's output, and counts them up there. `Packets` is
// PagePackets, or PagePieces where a page exceeds a packet.
#pragma once

#include "../../shared/kernels/next_device.hpp"
#include "slice_pages.hpp"

namespace {

using tt::tt_fabric::WorkerToFabricEdmSender;

// Takes the pages of one slice out of the circular buffer, batch by batch. A packet ends with a
// batch, after which the next page may be elsewhere.
template <typename Act>
void for_each_page(PageRange range, uint32_t batch, uint32_t sync, Act act) {
    for (uint32_t page = range.begin; page < range.end;) {
        cb_wait_front(kCbPages, batch);
        uint32_t source = get_read_ptr(kCbPages);
        const uint32_t end = page + batch < range.end ? page + batch : range.end;
        for (; page < end; ++page) {
            const uint32_t done = page + 1 - range.begin;
            const bool is_counted = done % sync == 0 || page + 1 == range.end;
            act(page, source, is_counted || page + 1 == end, is_counted);
            source += get_local_cb_interface(kCbPages).fifo_page_size;
        }
        noc_async_writes_flushed();
        cb_pop_front(kCbPages, batch);
    }
}

template <typename Packets, typename Accessor>
void send_slices(const SlicePages& slices, const Accessor& output, NextDevice& next,
                 Packets& packets, uint32_t page_bytes, uint64_t arrived, bool is_copier) {
    for (uint32_t step = 0; step < slices.num_sent; ++step) {
        for_each_page(slices.sent(step), slices.batch, slices.sync,
                      [&](uint32_t page, uint32_t source, bool ends_packet, bool is_counted) {
                          const uint64_t destination = output.get_noc_addr(page);
                          if (step == 0 && is_copier) {
                              noc_async_write(source, destination, page_bytes);
                          }
                          packets.add(source, destination);
                          if (ends_packet) {
                              packets.send();
                          }
                          if (is_counted) {
                              next.count_up(arrived);
                          }
                      });
    }
}

template <typename Packets>
void write_pages() {
    const uint32_t output_address = WriterTensors::output_address();
    constexpr uint32_t kFirst = WriterTensors::Addresses::kCount;
    const auto core = WriterCore::read(kFirst);
    constexpr uint32_t kFirstSlice = kFirst + WriterCore::kCount;
    const SlicePages slices{SliceArgs::read(kFirstSlice)};
    std::size_t arg_index = kFirstSlice + SliceArgs::kCount;  // of the connection

    const auto output = TensorAccessor(WriterTensors::output(), output_address);

    if (slices.num_sent != 0) {
        auto connection =
            WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
        connection.open();
        NextDevice next(connection);
        next.start_together(core.num_targets, slices.num_received, core.started_semaphore);
        Packets packets(next, core.page_bytes, core.packing);
        send_slices(slices, output, next, packets, core.page_bytes,
                    get_noc_addr(get_semaphore(core.arrived_semaphore)), core.is_copier != 0);
        connection.close();
    } else if (core.is_copier != 0) {
        for_each_page(slices.pages(0, 2), slices.batch, slices.sync,
                      [&](uint32_t page, uint32_t source, bool, bool) {
                          noc_async_write(source, output.get_noc_addr(page), core.page_bytes);
                      });
    }
    noc_async_write_barrier();
}

}  // namespace
