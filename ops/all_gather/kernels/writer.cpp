// SPDX-License-Identifier: Apache-2.0
// Sends pages to the same place of the next device's output, and counts them up there.
#include "slice_pages.hpp"

namespace {

using tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader;
using tt::tt_fabric::NocUnicastCommandHeader;
using tt::tt_fabric::WorkerToFabricEdmSender;

// The next device in this direction.
class NextDevice {
public:
    NextDevice(WorkerToFabricEdmSender& connection, uint64_t arrived)
        : connection_(connection),
          arrived_(arrived),
          header_(PacketHeaderPool::allocate_header()),
          counting_header_(PacketHeaderPool::allocate_header()) {
        fabric_set_unicast_route<false>(header_, 1);
        fabric_set_unicast_route<false>(counting_header_, 1);
    }

    // Counts one batch more behind the page if it is the batch's last.
    void send(uint32_t source, uint64_t destination, uint32_t bytes, bool is_last) {
        if (is_last) {
            counting_header_->to_noc_fused_unicast_write_atomic_inc(
                NocUnicastAtomicIncFusedCommandHeader{destination, arrived_, 1}, bytes);
        } else {
            header_->to_noc_unicast_write(NocUnicastCommandHeader{destination}, bytes);
        }
        send(source, bytes, is_last ? counting_header_ : header_);
    }

private:
    void send(uint32_t source, uint32_t bytes, volatile tt_l1_ptr PACKET_HEADER_TYPE* header) {
        connection_.wait_for_empty_write_slot();
        connection_.send_payload_without_header_non_blocking_from_address(source, bytes);
        connection_.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                             sizeof(PACKET_HEADER_TYPE));
    }

    WorkerToFabricEdmSender& connection_;
    uint64_t arrived_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* counting_header_;
};

// Takes the pages of one slice out of the circular buffer, batch by batch.
template <typename Act>
void for_each_page(PageRange range, uint32_t batch, Act act) {
    for (uint32_t page = range.begin; page < range.end;) {
        cb_wait_front(kCbPages, batch);
        uint32_t source = get_read_ptr(kCbPages);
        const uint32_t end = page + batch < range.end ? page + batch : range.end;
        for (; page < end; ++page) {
            act(page, source, page + 1 == end);
            source += get_local_cb_interface(kCbPages).fifo_page_size;
        }
        noc_async_writes_flushed();
        cb_pop_front(kCbPages, batch);
    }
}

template <typename Accessor>
void send_slices(const SlicePages& slices, const Accessor& output, NextDevice& next,
                 uint32_t page_bytes, bool is_copier) {
    for (uint32_t step = 0; step < slices.num_sent; ++step) {
        for_each_page(slices.sent(step), slices.batch,
                      [&](uint32_t page, uint32_t source, bool is_last) {
                          const uint64_t destination = output.get_noc_addr(page);
                          if (step == 0 && is_copier) {
                              noc_async_write(source, destination, page_bytes);
                          }
                          next.send(source, destination, page_bytes, is_last);
                      });
    }
}

}  // namespace

void kernel_main() {
    const uint32_t output_address = get_arg_val<uint32_t>(0);
    const uint32_t page_bytes = get_arg_val<uint32_t>(1);
    const uint32_t arrived_id = get_arg_val<uint32_t>(2);
    const bool is_copier = get_arg_val<uint32_t>(3) != 0;
    const SlicePages slices = slice_pages_from_args(4);
    std::size_t arg_index = 14;

    constexpr auto output_args = TensorAccessorArgs<0>();
    const auto output = TensorAccessor(output_args, output_address);

    if (slices.num_sent != 0) {
        auto connection =
            WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
        connection.open();
        NextDevice next(connection, get_noc_addr(get_semaphore(arrived_id)));
        send_slices(slices, output, next, page_bytes, is_copier);
        connection.close();
    } else if (is_copier) {
        for_each_page(slices.pages(0, 2), slices.batch, [&](uint32_t page, uint32_t source, bool) {
            noc_async_write(source, output.get_noc_addr(page), page_bytes);
        });
    }
    noc_async_write_barrier();
}
