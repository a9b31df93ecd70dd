// SPDX-License-Identifier: Apache-2.0
// The per-thread view of a circular buffer that kernels may look into.
#pragma once

#include <cstdint>

/// Shift from the units of LocalCBInterface to bytes: 4 on the chip's compute threads.
inline constexpr std::uint32_t cb_addr_shift = 0;

/// One kernel thread's own pointers into one circular buffer; sizes and addresses in bytes on
/// every thread (the chip holds 16-byte words on compute threads).
/// Source   tt-metal tt_metal/hw/inc/internal/circular_buffer_interface.h.
struct LocalCBInterface {
    std::uint32_t fifo_size = 0;   ///< bytes of the whole buffer
    std::uint32_t fifo_limit = 0;  ///< L1 address one past the end
    std::uint32_t fifo_page_size = 0;
    std::uint32_t fifo_num_pages = 0;
    std::uint32_t fifo_rd_ptr = 0;       ///< moved by this thread's cb_pop_front only
    std::uint32_t fifo_wr_ptr = 0;       ///< moved by this thread's cb_push_back only
    std::uint32_t fifo_wr_tile_ptr = 0;  ///< bytes packed since the last push (pack_tile in order)
    /// First values of the page counters, which fused kernels of the chip reset. Writing it has no
    /// effect here.
    std::uint32_t tiles_acked_received_init = 0;
    // Not on the chip: what the thread may touch, for checks.
    std::uint32_t pages_granted = 0;   ///< readable: asked of cb_wait_front, less those popped
    std::uint32_t pages_reserved = 0;  ///< writable: asked of cb_reserve_back, less those pushed
};
