// SPDX-License-Identifier: Apache-2.0
// Sends pages to the same place of the next device's output, and counts them up there.
#include "../../kernels/next_device.hpp"
#include "slice_pages.hpp"

namespace {

using tt::tt_fabric::WorkerToFabricEdmSender;

// Takes the pages of one slice out of the circular buffer, batch by batch.
template <typename Act>
void for_each_page(PageRange range, uint32_t batch, uint32_t sync, Act act) {
    for (uint32_t page = range.begin; page < range.end;) {
        cb_wait_front(kCbPages, batch);
        uint32_t source = get_read_ptr(kCbPages);
        const uint32_t end = page + batch < range.end ? page + batch : range.end;
        for (; page < end; ++page) {
            const uint32_t done = page + 1 - range.begin;
            act(page, source, done % sync == 0 || page + 1 == range.end);
            source += get_local_cb_interface(kCbPages).fifo_page_size;
        }
        noc_async_writes_flushed();
        cb_pop_front(kCbPages, batch);
    }
}

template <typename Accessor>
void send_slices(const SlicePages& slices, const Accessor& output, NextDevice& next,
                 uint32_t page_bytes, uint64_t arrived, bool is_copier) {
    for (uint32_t step = 0; step < slices.num_sent; ++step) {
        for_each_page(slices.sent(step), slices.batch, slices.sync,
                      [&](uint32_t page, uint32_t source, bool is_last) {
                          const uint64_t destination = output.get_noc_addr(page);
                          if (step == 0 && is_copier) {
                              noc_async_write(source, destination, page_bytes);
                          }
                          if (is_last) {
                              next.send_and_count(source, destination, page_bytes, arrived);
                          } else {
                              next.send(source, destination, page_bytes);
                          }
                      });
    }
}

}  // namespace

void kernel_main() {
    const uint32_t output_address = get_arg_val<uint32_t>(0);
    const uint32_t page_bytes = get_arg_val<uint32_t>(1);
    const uint32_t arrived_id = get_arg_val<uint32_t>(2);
    const bool is_copier = get_arg_val<uint32_t>(3) != 0;
    const uint32_t started_id = get_arg_val<uint32_t>(4);
    const uint32_t num_targets = get_arg_val<uint32_t>(5);
    const SlicePages slices = slice_pages_from_args(6);
    std::size_t arg_index = 17;

    constexpr auto output_args = TensorAccessorArgs<0>();
    const auto output = TensorAccessor(output_args, output_address);

    if (slices.num_sent != 0) {
        auto connection =
            WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
        connection.open();
        NextDevice next(connection);
        next.start_together(num_targets, slices.num_received, started_id);
        send_slices(slices, output, next, page_bytes, get_noc_addr(get_semaphore(arrived_id)),
                    is_copier);
        connection.close();
    } else if (is_copier) {
        for_each_page(slices.pages(0, 2), slices.batch, slices.sync,
                      [&](uint32_t page, uint32_t source, bool) {
                          noc_async_write(source, output.get_noc_addr(page), page_bytes);
                      });
    }
    noc_async_write_barrier();
}
