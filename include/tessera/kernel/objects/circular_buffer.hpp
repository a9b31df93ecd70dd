// SPDX-License-Identifier: Apache-2.0
// Device 2.0: a circular buffer as an object, on data-movement and compute threads. A transfer from
// it reads at its read pointer, and a transfer to it writes at its write pointer.
// Source   tt-metal tt_metal/hw/inc/experimental/circular_buffer.h.
#pragma once

#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tessera/kernel/objects/lock.hpp"
#include "tessera/kernel/objects/noc.hpp"

namespace experimental {

/// Circular buffer of the kernel's own core.
class CircularBuffer {
public:
    using CallSite = tessera::CallSite;
    enum class AddrSelector : std::uint8_t { WRITE_PTR, READ_PTR };
    using AddrSel = AddrSelector;

    explicit CircularBuffer(std::uint32_t cb_id) : cb_id_(cb_id) {}
    [[nodiscard]] std::uint32_t get_cb_id() const { return cb_id_; }
    [[nodiscard]] std::uint32_t get_id() const { return cb_id_; }

    void reserve_back(std::int32_t pages, CallSite site = CallSite::here()) const {
        cb_reserve_back(cb_id_, static_cast<std::uint32_t>(pages), site);
    }
    void push_back(std::int32_t pages, CallSite site = CallSite::here()) const {
        cb_push_back(cb_id_, static_cast<std::uint32_t>(pages), site);
    }
    void wait_front(std::int32_t pages, CallSite site = CallSite::here()) const {
        cb_wait_front(cb_id_, static_cast<std::uint32_t>(pages), site);
    }
    void pop_front(std::int32_t pages, CallSite site = CallSite::here()) const {
        cb_pop_front(cb_id_, static_cast<std::uint32_t>(pages), site);
    }
    [[nodiscard]] bool pages_reservable_at_back(std::int32_t pages,
                                                CallSite site = CallSite::here()) const {
        return cb_pages_reservable_at_back(cb_id_, static_cast<std::uint32_t>(pages), site);
    }
    [[nodiscard]] bool pages_available_at_front(std::int32_t pages,
                                                CallSite site = CallSite::here()) const {
        return cb_pages_available_at_front(cb_id_, static_cast<std::uint32_t>(pages), site);
    }

    [[nodiscard]] std::uint32_t get_write_ptr(CallSite site = CallSite::here()) const {
        return ::get_write_ptr(cb_id_, site);
    }
    [[nodiscard]] std::uint32_t get_read_ptr(CallSite site = CallSite::here()) const {
        return ::get_read_ptr(cb_id_, site);
    }
    [[nodiscard]] std::uint32_t get_tile_size() const {
        return static_cast<std::uint32_t>(::get_tile_size(static_cast<std::int32_t>(cb_id_)));
    }
    [[nodiscard]] std::uint32_t get_tile_hw() const {
        return ::get_tile_hw(static_cast<std::int32_t>(cb_id_));
    }
    [[nodiscard]] DataFormat get_dataformat() const {
        return ::get_dataformat(static_cast<std::int32_t>(cb_id_));
    }
    /// Returns the bytes from one page to the next.
    [[nodiscard]] std::uint32_t get_stride_size() const { return get_entry_size(); }
    /// Returns the bytes of one page.
    [[nodiscard]] std::uint32_t get_entry_size() const {
        return get_local_cb_interface(cb_id_).fifo_page_size << cb_addr_shift;
    }

    [[nodiscard]] std::uint32_t get_num_pages() const {
        return get_local_cb_interface(cb_id_).fifo_num_pages;
    }
    [[nodiscard]] std::uint32_t get_total_size() const {
        return get_local_cb_interface(cb_id_).fifo_size << cb_addr_shift;
    }
    /// Returns the L1 address of the tile (page) `tile_index` pages after the read pointer.
    [[nodiscard]] std::uint32_t get_tile_address(std::uint32_t tile_index,
                                                 CallSite site = CallSite::here()) const {
        return get_read_ptr(site) + tile_index * get_entry_size();
    }
    /// Returns word `element_offset` of that tile.
    [[nodiscard]] std::uint32_t read_tile_value(std::uint32_t tile_index,
                                                std::uint32_t element_offset,
                                                CallSite site = CallSite::here()) const {
        return reinterpret_cast<volatile std::uint32_t*>(
            std::uintptr_t{get_tile_address(tile_index, site)})[element_offset];
    }
    /// Marks the buffer's pages as in use until the end of the scope.
    [[nodiscard]] auto scoped_lock() const { return Lock(tessera::kernel::NoRelease{}); }
    /// Does nothing; on the chip it ends the use of the buffer in a kernel.
    void finish() const {}
    /// Waits until all writes of the kernel on this NoC have been acknowledged.
    void write_barrier(const Noc& noc, CallSite site = CallSite::here()) const {
        noc_async_write_barrier(noc.get_noc_id(), site);
    }

private:
    std::uint32_t cb_id_;
};

/// Name since tt-metal #45010. On Wormhole and Blackhole it is the circular buffer of its id.
using DataflowBuffer = CircularBuffer;

/// View of a circular buffer that uses the selected pointer on either side of a transfer.
template <CircularBuffer::AddrSelector selector>
struct CircularBufferView {
    const CircularBuffer& cb;

    [[nodiscard]] std::uint32_t address() const {
        return selector == CircularBuffer::AddrSelector::READ_PTR ? cb.get_read_ptr()
                                                                  : cb.get_write_ptr();
    }
};
template <CircularBuffer::AddrSelector selector>
CircularBufferView<selector> use(const CircularBuffer& cb) {
    return CircularBufferView<selector>{cb};
}

}  // namespace experimental

namespace tessera::kernel {
/// Byte offset of a transfer's source from its endpoint's address.
struct SourceOffset {
    std::uint32_t offset_bytes{};
};
/// Byte offset of a transfer's destination from its endpoint's address.
struct DestinationOffset {
    std::uint32_t offset_bytes{};
};
/// Rectangle of cores that receive a multicast, and the byte offset at each.
struct MulticastOffset {
    std::uint32_t noc_x_start{};
    std::uint32_t noc_y_start{};
    std::uint32_t noc_x_end{};
    std::uint32_t noc_y_end{};
    std::uint32_t offset_bytes{};
};
inline std::uint64_t multicast_address_at(std::uint32_t base, std::uint8_t noc,
                                          const MulticastOffset& args) {
    return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                  args.noc_y_end, base + args.offset_bytes, noc);
}
}  // namespace tessera::kernel

namespace experimental {

/// Reads from the front of a circular buffer and writes to its back.
template <>
struct noc_traits_t<CircularBuffer> {
    using src_args_type = tessera::kernel::SourceOffset;
    using dst_args_type = tessera::kernel::DestinationOffset;
    using dst_args_mcast_type = tessera::kernel::MulticastOffset;

    static std::uint32_t local_address(const CircularBuffer& cb, const src_args_type& args) {
        return cb.get_read_ptr() + args.offset_bytes;
    }
    static std::uint32_t local_address(const CircularBuffer& cb, const dst_args_type& args) {
        return cb.get_write_ptr() + args.offset_bytes;
    }
    static std::uint64_t multicast_address(const CircularBuffer& cb, std::uint8_t noc,
                                           const dst_args_mcast_type& args) {
        return tessera::kernel::multicast_address_at(cb.get_write_ptr(), noc, args);
    }
};

/// Reads and writes at the pointer that the view selects.
template <CircularBuffer::AddrSelector selector>
struct noc_traits_t<CircularBufferView<selector>> {
    using src_args_type = tessera::kernel::SourceOffset;
    using dst_args_type = tessera::kernel::SourceOffset;
    using dst_args_mcast_type = tessera::kernel::MulticastOffset;

    static std::uint32_t local_address(const CircularBufferView<selector>& view,
                                       const src_args_type& args) {
        return view.address() + args.offset_bytes;
    }
    static std::uint64_t multicast_address(const CircularBufferView<selector>& view,
                                           std::uint8_t noc, const dst_args_mcast_type& args) {
        return tessera::kernel::multicast_address_at(view.address(), noc, args);
    }
};

}  // namespace experimental
