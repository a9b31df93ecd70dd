// SPDX-License-Identifier: Apache-2.0
// Reads words of a circular buffer in a compute kernel, for control flow that depends on data.
#pragma once

#include "tessera/kernel/compute/types.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"

namespace ckernel {

/// Returns the L1 address of the tile (page) `tile_index` pages after the read pointer of `cb_id`.
/// Precondition   cb_wait_front has granted the tile.
/// Source   tt-metal api/compute/cb_api.h.
inline std::uint32_t get_tile_address(std::uint32_t cb_id, std::uint32_t tile_index,
                                      CallSite site = CallSite::here()) {
    const std::uint32_t page_size = get_local_cb_interface(cb_id).fifo_page_size << cb_addr_shift;
    return get_read_ptr(cb_id, site) + tile_index * page_size;
}

/// Returns word `element_offset` of that tile. Unpack, math and pack all get the same value.
inline std::uint32_t read_tile_value(std::uint32_t cb_id, std::uint32_t tile_index,
                                     std::uint32_t element_offset,
                                     CallSite site = CallSite::here()) {
    const std::uint32_t address = get_tile_address(cb_id, tile_index, site);
    return reinterpret_cast<volatile std::uint32_t*>(std::uintptr_t{address})[element_offset];
}

}  // namespace ckernel
