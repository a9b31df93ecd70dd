// SPDX-License-Identifier: Apache-2.0
// Sends pages to the same place of the next device's output, and counts them up there. `Packets` is
// PagePackets, or PagePieces where a page exceeds a packet.
#pragma once

#include "../../shared/kernels/next_device.hpp"
#include "slice_pages.hpp"

namespace {

using tt::tt_fabric::WorkerToFabricEdmSender;

// Takes the pages of one slice out of the circular buffer, batch by batch. A packet ends with a
// batch, behind which the next page may lie elsewhere.
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
    const uint32_t output_address = get_arg_val<uint32_t>(0);
    const uint32_t page_bytes = get_arg_val<uint32_t>(1);
    const uint32_t arrived_id = get_arg_val<uint32_t>(2);
    const bool is_copier = get_arg_val<uint32_t>(3) != 0;
    const uint32_t started_id = get_arg_val<uint32_t>(4);
    const uint32_t num_targets = get_arg_val<uint32_t>(5);
    const uint32_t packing = get_arg_val<uint32_t>(6);  // pages of a packet, or bytes of a piece
    const SlicePages slices = slice_pages_from_args(7);
    std::size_t arg_index = 18;

    constexpr auto output_args = TensorAccessorArgs<0>();
    const auto output = TensorAccessor(output_args, output_address);

    if (slices.num_sent != 0) {
        auto connection =
            WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
        connection.open();
        NextDevice next(connection);
        next.start_together(num_targets, slices.num_received, started_id);
        Packets packets(next, page_bytes, packing);
        send_slices(slices, output, next, packets, page_bytes,
                    get_noc_addr(get_semaphore(arrived_id)), is_copier);
        connection.close();
    } else if (is_copier) {
        for_each_page(slices.pages(0, 2), slices.batch, slices.sync,
                      [&](uint32_t page, uint32_t source, bool, bool) {
                          noc_async_write(source, output.get_noc_addr(page), page_bytes);
                      });
    }
    noc_async_write_barrier();
}

}  // namespace
