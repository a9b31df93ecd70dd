// SPDX-License-Identifier: Apache-2.0
// Reads the pages to send: the device's own pages, then those that arrived in its output.
#include "slice_pages.hpp"

namespace {

template <typename Accessor>
void read_batch(const Accessor& source, uint32_t begin, uint32_t end, uint32_t batch) {
    // Whole batches are reserved and pushed, also for a short one: the buffer wraps only at its
    // exact end.
    cb_reserve_back(kCbPages, batch);
    uint32_t l1_address = get_write_ptr(kCbPages);
    for (uint32_t page = begin; page < end; ++page) {
        noc_async_read_page(page, source, l1_address);
        l1_address += get_local_cb_interface(kCbPages).fifo_page_size;
    }
    noc_async_read_barrier();
    cb_push_back(kCbPages, batch);
}

}  // namespace

void kernel_main() {
    const auto addresses = ReaderTensors::Addresses::read();
    constexpr uint32_t kFirst = ReaderTensors::Addresses::kCount;
    const auto core = ReaderCore::read(kFirst);
    const SlicePages slices{SliceArgs::read(kFirst + ReaderCore::kCount)};

    const auto input = TensorAccessor(ReaderTensors::input(), addresses.input);
    const auto output = TensorAccessor(ReaderTensors::output(), addresses.output);
    auto* arrived =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(core.arrived_semaphore));

    // Own pages come first: they are available while pages of other devices travel.
    if (slices.num_sent != 0 || core.is_copier != 0) {
        for (uint32_t page = 0; page < slices.count; page += slices.batch) {
            const uint32_t end =
                page + slices.batch < slices.count ? page + slices.batch : slices.count;
            read_batch(input, slices.first + page, slices.first + end, slices.batch);
        }
    }
    uint32_t num_announced = 0;
    for (uint32_t step = 1; step <= slices.num_received; ++step) {
        const PageRange received = slices.received(step);
        // Pages that arrive in the last steps stay here. They must be awaited, but are not read
        // again.
        const PageRange sent =
            step < slices.num_sent ? slices.sent(step) : PageRange{received.begin, received.begin};
        for (uint32_t page = sent.begin; page < sent.end; page += slices.batch) {
            const uint32_t end = page + slices.batch < sent.end ? page + slices.batch : sent.end;
            // A sync covers several pages; the batch needs the sync of its last page.
            const uint32_t last_sync = (end - 1 - received.begin) / slices.sync;
            noc_semaphore_wait_min(arrived, num_announced + last_sync + 1);
            read_batch(output, page, end, slices.batch);
        }
        num_announced += received.num_syncs(slices.sync);
    }
    // The launch may end only when all pages of others are in place.
    noc_semaphore_wait_min(arrived, num_announced);
}
