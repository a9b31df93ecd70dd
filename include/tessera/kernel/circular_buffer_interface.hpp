// SPDX-License-Identifier: Apache-2.0
// View that each kernel thread has of a circular buffer. Kernels may read it.
#pragma once

#include <cstdint>

#ifdef COMPILE_FOR_TRISC
/// Shift from the units of LocalCBInterface to bytes.
inline constexpr std::uint32_t cb_addr_shift = 4;

namespace tessera::kernel {
/// Size or address in bytes, which a compute kernel reads and writes in words of 16 bytes.
class CbLength {
public:
    constexpr CbLength() = default;
    /// Converts from words. It is explicit, so that `is_used ? cb.fifo_rd_ptr : 0` has the type of
    /// a word.
    constexpr explicit CbLength(std::uint32_t words) : bytes_(words << cb_addr_shift) {}
    constexpr CbLength& operator=(std::uint32_t words) {
        bytes_ = words << cb_addr_shift;
        return *this;
    }
    constexpr operator std::uint32_t() const {  // NOLINT: implicit, as the vendor's word
        return bytes_ >> cb_addr_shift;
    }
    CbLength& operator+=(std::uint32_t words) { return *this = *this + words; }
    CbLength& operator-=(std::uint32_t words) { return *this = *this - words; }

private:
    std::uint32_t bytes_ = 0;
};
}  // namespace tessera::kernel
#else
inline constexpr std::uint32_t cb_addr_shift = 0;
namespace tessera::kernel {
using CbLength = std::uint32_t;
}  // namespace tessera::kernel
#endif

/// Pointers of one kernel thread into one circular buffer. Sizes and addresses are in bytes. A
/// compute kernel sees words of 16 bytes, as on the chip; a built-in kernel, which is compiled once
/// for all processors, sees bytes.
/// Source   tt-metal tt_metal/hw/inc/internal/circular_buffer_interface.h.
struct LocalCBInterface {
    tessera::kernel::CbLength fifo_size{0};   ///< size of the whole buffer
    tessera::kernel::CbLength fifo_limit{0};  ///< L1 address one past the end
    tessera::kernel::CbLength fifo_page_size{0};
    std::uint32_t fifo_num_pages = 0;
    tessera::kernel::CbLength fifo_rd_ptr{0};  ///< advanced by this thread's cb_pop_front only
    tessera::kernel::CbLength fifo_wr_ptr{0};  ///< advanced by this thread's cb_push_back only
    tessera::kernel::CbLength fifo_wr_tile_ptr{
        0};  ///< packed since the last cb_push_back (pack_tile in order)
    /// First values of the page counters, which fused kernels of the chip reset. Writing it has no
    /// effect here.
    std::uint32_t tiles_acked_received_init = 0;
    // Not on the chip: pages that the thread may access, for checks.
    std::uint32_t pages_granted = 0;   ///< readable: granted by cb_wait_front and not popped
    std::uint32_t pages_reserved = 0;  ///< writable: reserved by cb_reserve_back and not pushed
};
