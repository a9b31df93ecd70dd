// SPDX-License-Identifier: Apache-2.0
// Circular buffers from one core to others, for kernels that include api/remote_circular_buffer.h.
// A push writes pages into each receiver's L1 and adds to its counter of pages sent; a pop adds to
// the sender's counter of pages acked. The counters are in units of 16 bytes. If the buffer is not
// a whole number of pages, its last bytes count as sent with the last page.
// Source   tt-metal tt_metal/hw/inc/api/remote_circular_buffer.h.
#pragma once

#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tessera/kernel/objects/lock.hpp"
#include "tessera/kernel/objects/noc.hpp"
#include "tessera/kernel/remote_circular_buffer_interface.hpp"

namespace tessera::kernel {
/// Returns the thread's view of the core's end of a remote circular buffer.
/// Errors   UndefinedBehavior if the core has no end of a remote circular buffer of this index.
RemoteBufferEnd& remote_buffer_end(std::uint32_t cb_id, CallSite site);
/// Sets the address and the size of the core's circular buffer to those of this thread's view.
void move_local_buffer(std::uint32_t cb_id, CallSite site);

inline volatile tt_l1_ptr std::uint32_t* l1_word(std::uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr std::uint32_t*>(std::uintptr_t{address});
}
inline void add_to_own_word(std::uint32_t address, std::uint32_t increment) {
    *l1_word(address) = *l1_word(address) + increment;
}
/// Returns the bytes of the whole buffer.
inline std::uint32_t remote_fifo_size(std::uint32_t config) {
    return *l1_word(config + offsetof(RemoteBufferWords, fifo_size));
}
/// Returns the bytes of `pages` pages from the pointer on, including unused bytes at the buffer's
/// end.
inline std::uint32_t remote_bytes(const RemoteReceiverCBInterface& end, std::uint32_t pages) {
    const std::uint32_t bytes = pages * end.fifo_page_size;
    const bool wraps = end.fifo_rd_ptr + bytes >= end.fifo_limit_page_aligned;
    return wraps ? bytes + end.fifo_start_addr + remote_fifo_size(end.config_ptr) -
                       end.fifo_limit_page_aligned
                 : bytes;
}
/// Pointer after a change of the page size, and units that are skipped before it.
struct RemoteStep {
    std::uint32_t pointer;
    std::uint32_t units;
};
inline RemoteStep resize_remote_end(RemoteReceiverCBInterface& end, std::uint32_t page_size) {
    const std::uint32_t size = remote_fifo_size(end.config_ptr);
    const std::uint32_t offset = end.fifo_rd_ptr - end.fifo_start_addr;
    const std::uint32_t limit = size - size % page_size;
    const std::uint32_t next = (offset + page_size - 1) / page_size * page_size;
    const bool wraps = next >= limit;
    end.fifo_limit_page_aligned = end.fifo_start_addr + limit;
    end.fifo_page_size = page_size;
    return {end.fifo_start_addr + (wraps ? 0 : next),
            ((wraps ? size : next) - offset) / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE};
}
}  // namespace tessera::kernel

inline RemoteSenderCBInterface& get_remote_sender_cb_interface(
    std::uint32_t cb_id, tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::remote_buffer_end(cb_id, site).sender;
}
inline RemoteReceiverCBInterface& get_remote_receiver_cb_interface(
    std::uint32_t cb_id, tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::remote_buffer_end(cb_id, site).receiver;
}

namespace tessera::kernel {
/// Adds units to the counters of pages sent, here and at each receiver.
template <bool posted>
void add_remote_sent(const RemoteSenderCBInterface& end, std::uint32_t units, std::uint8_t noc,
                     CallSite site) {
    const std::uint32_t packed = end.num_receivers_and_remote_pages_sent_ptr;
    for (std::uint32_t i = 0; i < remote_cb_num_receivers(packed); ++i) {
        const volatile std::uint32_t* xy = l1_word(end.receiver_noc_xy_ptr) + 2 * i;
        const std::uint32_t counter = i * kRemoteCounterStride;
        add_to_own_word(end.aligned_pages_sent_ptr + counter, units);
        noc_semaphore_inc<posted>(
            get_noc_addr(xy[0], xy[1], remote_cb_remote_pages_sent_ptr(packed) + counter, noc),
            units, noc, 0, site);
    }
}
/// Adds units to the counter of pages acked, here and at the sender.
template <bool posted>
void add_remote_acked(const RemoteReceiverCBInterface& end, std::uint32_t units, std::uint8_t noc,
                      CallSite site) {
    add_to_own_word(end.aligned_pages_acked_ptr, units);
    noc_semaphore_inc<posted>(
        get_noc_addr(end.sender_noc_x, end.sender_noc_y, end.remote_pages_acked_ptr, noc), units,
        noc, 0, site);
}
inline void wait_for_remote_pages(const RemoteReceiverCBInterface& end, std::uint32_t units,
                                  CallSite site) {
    noc_semaphore_wait_min(
        l1_word(end.aligned_pages_acked_ptr - REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE),
        *l1_word(end.aligned_pages_acked_ptr) + units, site);
}
/// Waits until each receiver has popped all but `units` of the units sent.
inline void wait_for_remote_acks(const RemoteSenderCBInterface& end, std::int64_t units,
                                 CallSite site) {
    const std::uint32_t packed = end.num_receivers_and_remote_pages_sent_ptr;
    for (std::uint32_t i = 0; i < remote_cb_num_receivers(packed); ++i) {
        const std::uint32_t sent = end.aligned_pages_sent_ptr + i * kRemoteCounterStride;
        const std::int64_t least = std::int64_t{*l1_word(sent)} - units;
        if (least > 0) {
            noc_semaphore_wait_min(l1_word(sent + REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE),
                                   static_cast<std::uint32_t>(least), site);
        }
    }
}
}  // namespace tessera::kernel

namespace experimental {

/// Changes the size of the sender's pages, and advances the pointer to the next whole page.
template <bool update_remote_over_noc = false>
void resize_remote_sender_cb_interface(std::uint32_t cb_id, std::uint32_t page_size,
                                       std::uint8_t noc, std::uint8_t /*mode*/ = 0,
                                       bool /*posted*/ = true, std::uint8_t /*cmd_buf*/ = 0,
                                       tessera::CallSite site = tessera::CallSite::here()) {
    tessera::RemoteBufferEnd& end = tessera::kernel::remote_buffer_end(cb_id, site);
    const auto [pointer, units] = tessera::kernel::resize_remote_end(end.receiver, page_size);
    if (update_remote_over_noc && units != 0) {
        tessera::kernel::add_remote_sent<true>(end.sender, units, noc, site);
    }
    end.sender.fifo_wr_ptr = pointer;
}
/// Does the same at a receiver, which waits until the sender has skipped the bytes.
template <bool update_remote_over_noc = false>
void resize_remote_receiver_cb_interface(std::uint32_t cb_id, std::uint32_t page_size,
                                         std::uint8_t noc, std::uint8_t /*mode*/ = 0,
                                         bool /*posted*/ = true, std::uint8_t /*cmd_buf*/ = 0,
                                         tessera::CallSite site = tessera::CallSite::here()) {
    RemoteReceiverCBInterface& end = get_remote_receiver_cb_interface(cb_id, site);
    const auto [pointer, units] = tessera::kernel::resize_remote_end(end, page_size);
    if (update_remote_over_noc && units != 0) {
        tessera::kernel::wait_for_remote_pages(end, units, site);
        tessera::kernel::add_remote_acked<true>(end, units, noc, site);
    }
    end.fifo_rd_ptr = pointer;
}

/// Blocks until `num_pages` pages have arrived.
inline void remote_cb_wait_front(std::uint32_t cb_id, std::uint32_t num_pages,
                                 tessera::CallSite site = tessera::CallSite::here()) {
    const RemoteReceiverCBInterface& end = get_remote_receiver_cb_interface(cb_id, site);
    tessera::kernel::wait_for_remote_pages(
        end,
        tessera::kernel::remote_bytes(end, num_pages) / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE,
        site);
}
/// Frees `num_pages` pages here and at the sender.
inline void remote_cb_pop_front(std::uint32_t cb_id, std::uint32_t num_pages,
                                std::uint8_t noc = noc_index,
                                tessera::CallSite site = tessera::CallSite::here()) {
    RemoteReceiverCBInterface& end = get_remote_receiver_cb_interface(cb_id, site);
    const std::uint32_t bytes = tessera::kernel::remote_bytes(end, num_pages);
    end.fifo_rd_ptr += num_pages * end.fifo_page_size;
    if (end.fifo_rd_ptr >= end.fifo_limit_page_aligned) {
        end.fifo_rd_ptr -= end.fifo_limit_page_aligned - end.fifo_start_addr;
    }
    tessera::kernel::add_remote_acked<false>(end, bytes / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE,
                                             noc, site);
}
/// Blocks until `num_pages` pages are free at each receiver.
inline void remote_cb_reserve_back(std::uint32_t cb_id, std::uint32_t num_pages,
                                   tessera::CallSite site = tessera::CallSite::here()) {
    const tessera::RemoteBufferEnd& end = tessera::kernel::remote_buffer_end(cb_id, site);
    const std::uint32_t bytes = tessera::kernel::remote_bytes(end.receiver, num_pages);
    const std::uint32_t size = tessera::kernel::remote_fifo_size(end.sender.config_ptr);
    const std::int64_t left_over = std::int64_t{size} - bytes;
    tessera::kernel::wait_for_remote_acks(
        end.sender, left_over / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE, site);
}
/// Blocks until the receivers have popped all pages.
inline void remote_cb_sender_barrier(std::uint32_t cb_id,
                                     tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::wait_for_remote_acks(get_remote_sender_cb_interface(cb_id, site), 0, site);
}

/// Writes a block of `num_rows` rows to the receivers, each of which gets its columns: as many
/// packets of a row as `coalesced_num_pages_per_row`. Writes and counts are posted unless the
/// template argument is false.
template <bool skip_ptr_update = true>
void remote_cb_push_back_and_write_pages(std::uint32_t cb_id, std::uint32_t local_cb_addr,
                                         std::uint32_t num_pages, std::uint32_t num_rows,
                                         std::uint32_t coalesced_num_pages_per_row,
                                         std::uint32_t coalesced_page_size,
                                         std::uint8_t noc = noc_index,
                                         tessera::CallSite site = tessera::CallSite::here()) {
    tessera::RemoteBufferEnd& end = tessera::kernel::remote_buffer_end(cb_id, site);
    const std::uint32_t bytes = tessera::kernel::remote_bytes(end.receiver, num_pages);
    const std::uint32_t receivers =
        remote_cb_num_receivers(end.sender.num_receivers_and_remote_pages_sent_ptr);
    const std::uint32_t row = coalesced_num_pages_per_row * coalesced_page_size;
    for (std::uint32_t i = 0; i < receivers; ++i) {
        const volatile std::uint32_t* xy =
            tessera::kernel::l1_word(end.sender.receiver_noc_xy_ptr) + 2 * i;
        for (std::uint32_t h = 0; h < num_rows; ++h) {
            for (std::uint32_t w = 0; w < coalesced_num_pages_per_row; ++w) {
                const std::uint32_t column = w * coalesced_page_size;
                noc_async_write_one_packet<true, skip_ptr_update>(
                    local_cb_addr + (h * receivers + i) * row + column,
                    get_noc_addr(xy[0], xy[1], end.sender.fifo_wr_ptr + h * row + column, noc),
                    coalesced_page_size, noc, 0, site);
            }
        }
    }
    tessera::kernel::add_remote_sent<skip_ptr_update>(
        end.sender, bytes / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE, noc, site);
    end.sender.fifo_wr_ptr += num_rows * row;
    if (end.sender.fifo_wr_ptr == end.sender.fifo_limit_page_aligned) {
        end.sender.fifo_wr_ptr = end.sender.fifo_start_addr;
    }
}

/// Saves the pointer in L1 for the next launch.
inline void update_remote_cb_config_in_l1(std::uint32_t cb_id,
                                          tessera::CallSite site = tessera::CallSite::here()) {
    const RemoteReceiverCBInterface& end = get_remote_receiver_cb_interface(cb_id, site);
    *tessera::kernel::l1_word(end.config_ptr + offsetof(tessera::RemoteBufferWords, fifo_pointer)) =
        end.fifo_rd_ptr;
}

/// Lays local circular buffers over the pages that the remote one has received.
template <std::uint32_t num_local_cbs>
void align_local_cbs_to_remote_cb(std::uint32_t remote_cb_index,
                                  const std::uint32_t (&local_cb_indices)[num_local_cbs],
                                  tessera::CallSite site = tessera::CallSite::here()) {
    const RemoteReceiverCBInterface& end = get_remote_receiver_cb_interface(remote_cb_index, site);
    const std::uint32_t limit = end.fifo_limit_page_aligned >> cb_addr_shift;
    const std::uint32_t size = limit - (end.fifo_start_addr >> cb_addr_shift);
    for (const std::uint32_t index : local_cb_indices) {
        LocalCBInterface& local = get_local_cb_interface(index);
        local.fifo_limit = limit;
        local.fifo_size = size;
        local.fifo_num_pages = size / local.fifo_page_size;
        local.fifo_wr_ptr = end.fifo_rd_ptr >> cb_addr_shift;
        local.fifo_rd_ptr = end.fifo_rd_ptr >> cb_addr_shift;
        tessera::kernel::move_local_buffer(index, site);
    }
}

/// Remote circular buffer as an object. As in the vendor's class, set_sender_page_size changes the
/// pages of the receiver that calls it, and set_receiver_page_size those of the sender.
class RemoteCircularBuffer {
public:
    using CallSite = tessera::CallSite;
    enum class RemotePointerUpdate : std::uint8_t { SKIP, UPDATE_OVER_NOC };

    explicit RemoteCircularBuffer(std::uint32_t index) : index_(index) {}

    void reserve_back(std::uint32_t pages, CallSite site = CallSite::here()) {
        remote_cb_reserve_back(index_, pages, site);
    }
    template <class Source, RemotePointerUpdate update = RemotePointerUpdate::UPDATE_OVER_NOC>
    void push_back(Noc& noc, const Source& source, std::uint32_t pages, std::uint32_t rows,
                   std::uint32_t coalesced_pages_per_row, std::uint32_t coalesced_page_size,
                   const typename noc_traits_t<Source>::src_args_type& args = {},
                   CallSite site = CallSite::here()) {
        remote_cb_push_back_and_write_pages<update == RemotePointerUpdate::UPDATE_OVER_NOC>(
            index_, noc_traits_t<Source>::local_address(source, args), pages, rows,
            coalesced_pages_per_row, coalesced_page_size, noc.get_noc_id(), site);
    }
    void wait_front(std::uint32_t pages, CallSite site = CallSite::here()) {
        remote_cb_wait_front(index_, pages, site);
    }
    void pop_front(Noc& noc, std::uint32_t pages, CallSite site = CallSite::here()) {
        remote_cb_pop_front(index_, pages, noc.get_noc_id(), site);
    }
    template <RemotePointerUpdate update = RemotePointerUpdate::UPDATE_OVER_NOC>
    void set_sender_page_size(Noc& noc, std::uint32_t page_size, std::uint8_t mode = 0,
                              bool posted = true, std::uint8_t cmd_buf = 0,
                              CallSite site = CallSite::here()) {
        resize_remote_receiver_cb_interface<update == RemotePointerUpdate::UPDATE_OVER_NOC>(
            index_, page_size, noc.get_noc_id(), mode, posted, cmd_buf, site);
    }
    template <RemotePointerUpdate update = RemotePointerUpdate::UPDATE_OVER_NOC>
    void set_receiver_page_size(Noc& noc, std::uint32_t page_size, std::uint8_t mode = 0,
                                bool posted = true, std::uint8_t cmd_buf = 0,
                                CallSite site = CallSite::here()) {
        resize_remote_sender_cb_interface<update == RemotePointerUpdate::UPDATE_OVER_NOC>(
            index_, page_size, noc.get_noc_id(), mode, posted, cmd_buf, site);
    }
    void barrier(CallSite site = CallSite::here()) { remote_cb_sender_barrier(index_, site); }
    void commit(CallSite site = CallSite::here()) { update_remote_cb_config_in_l1(index_, site); }
    [[nodiscard]] auto scoped_lock() {
        return Lock([] {});
    }

private:
    std::uint32_t index_;
};

}  // namespace experimental
