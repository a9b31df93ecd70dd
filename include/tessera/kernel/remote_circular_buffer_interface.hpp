// SPDX-License-Identifier: Apache-2.0
// View that a kernel thread has of a circular buffer from one core to others. The sender writes
// pages into the L1 of each receiver, and both count them in words of their L1.
// Source   tt-metal tt_metal/hw/inc/internal/circular_buffer_interface.h and
//          tt_metal/impl/buffers/global_circular_buffer.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

/// Unit of the counters of pages, in bytes.
inline constexpr std::uint32_t REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE = 16;

/// The sender's end. Addresses and sizes are in bytes.
struct RemoteSenderCBInterface {
    std::uint32_t config_ptr;  ///< words of tessera::RemoteBufferWords
    std::uint32_t fifo_start_addr;
    std::uint32_t fifo_limit_page_aligned;  ///< end of the last whole page
    std::uint32_t fifo_page_size;
    std::uint32_t fifo_wr_ptr;
    std::uint32_t receiver_noc_xy_ptr;  ///< x and y of each receiver
    std::uint32_t aligned_pages_sent_ptr;
    std::uint32_t num_receivers_and_remote_pages_sent_ptr;  ///< made by remote_cb_pack
};

/// A receiver's end. The first five words mean the same as the sender's.
struct RemoteReceiverCBInterface {
    std::uint32_t config_ptr;
    std::uint32_t fifo_start_addr;
    std::uint32_t fifo_limit_page_aligned;
    std::uint32_t fifo_page_size;
    std::uint32_t fifo_rd_ptr;
    std::uint16_t sender_noc_x;
    std::uint16_t sender_noc_y;
    std::uint32_t aligned_pages_acked_ptr;
    std::uint32_t remote_pages_acked_ptr;  ///< counter of pages acked in the sender's L1
};

inline constexpr std::uint32_t kRemoteCountShift = 24;
constexpr std::uint32_t remote_cb_pack(std::uint32_t num_receivers,
                                       std::uint32_t remote_pages_sent_ptr) {
    return num_receivers << kRemoteCountShift | remote_pages_sent_ptr;
}
constexpr std::uint32_t remote_cb_num_receivers(std::uint32_t packed) {
    return packed >> kRemoteCountShift;
}
constexpr std::uint32_t remote_cb_remote_pages_sent_ptr(std::uint32_t packed) {
    return packed & ((1U << kRemoteCountShift) - 1);
}

namespace tessera {

/// Words at config_ptr, which keep the state of a core's end between launches. Coordinates of the
/// other cores follow these words.
struct RemoteBufferWords {
    std::uint32_t is_sender;
    std::uint32_t num_receivers;
    std::uint32_t fifo_start;
    std::uint32_t fifo_size;
    std::uint32_t fifo_pointer;  ///< address at which the next page is written or read
    std::uint32_t coordinates;   ///< address of x and y of each receiver, or of the sender
    std::uint32_t pages_sent;    ///< address of the counter pairs: pages sent, pages acked
    std::uint32_t remote_pages;  ///< address of the counters on the other core
};

/// Bytes from one receiver's counter to the next one's; the sent counter comes first.
inline constexpr std::uint32_t kRemoteCounterStride = 2 * REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE;

/// End of a core: sender's or receiver's.
union RemoteBufferEnd {
    RemoteSenderCBInterface sender{};
    RemoteReceiverCBInterface receiver;
};

}  // namespace tessera
