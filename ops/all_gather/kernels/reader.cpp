// SPDX-License-Identifier: Apache-2.0
// Brings in what is to be sent: the device's own pages, then those that arrived in its output.
#include "slice_pages.hpp"

namespace {

template <typename Accessor>
void read_batch(const Accessor& source, uint32_t begin, uint32_t end, uint32_t batch) {
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
    const uint32_t input_address = get_arg_val<uint32_t>(0);
    const uint32_t output_address = get_arg_val<uint32_t>(1);
    const uint32_t arrived_id = get_arg_val<uint32_t>(2);
    const bool is_copier = get_arg_val<uint32_t>(3) != 0;
    const SlicePages slices = slice_pages_from_args(4);

    constexpr auto input_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<2>();
    const auto input = TensorAccessor(input_args, input_address);
    const auto output = TensorAccessor(output_args, output_address);
    auto* arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(arrived_id));

    if (slices.num_sent != 0 || is_copier) {
        for (uint32_t page = 0; page < slices.count; page += slices.batch) {
            const uint32_t end =
                page + slices.batch < slices.count ? page + slices.batch : slices.count;
            read_batch(input, slices.first + page, slices.first + end, slices.batch);
        }
    }
    uint32_t num_announced = 0;
    for (uint32_t step = 1; step <= slices.num_received; ++step) {
        const PageRange received = slices.received(step);
        const PageRange sent =
            step < slices.num_sent ? slices.sent(step) : PageRange{received.begin, received.begin};
        for (uint32_t page = sent.begin; page < sent.end; page += slices.batch) {
            const uint32_t end = page + slices.batch < sent.end ? page + slices.batch : sent.end;
            const uint32_t last_sync = (end - 1 - received.begin) / slices.sync;
            noc_semaphore_wait_min(arrived, num_announced + last_sync + 1);
            read_batch(output, page, end, slices.batch);
        }
        num_announced += received.num_syncs(slices.sync);
    }
    noc_semaphore_wait_min(arrived, num_announced);
}
