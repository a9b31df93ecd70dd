// SPDX-License-Identifier: Apache-2.0
// Words of a circular buffer as numbers in a compute kernel, for control flow that depends on data.
#pragma once

#include "tessera/kernel/compute/types.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"

namespace ckernel {

/// L1 address of tile (page) `tile_index` behind the read pointer of `cb_id`.
/// Preconditions   cb_wait_front has granted the tile.
/// Source   tt-metal api/compute/cb_api.h.
inline std::uint32_t get_tile_address(std::uint32_t cb_id, std::uint32_t tile_index,
                                      CallSite site = CallSite::here()) {
    const std::uint32_t page_size = get_local_cb_interface(cb_id).fifo_page_size << cb_addr_shift;
    return get_read_ptr(cb_id, site) + tile_index * page_size;
}

/// Word `element_offset` of that tile; unpack, math and pack all get the same value.
inline std::uint32_t read_tile_value(std::uint32_t cb_id, std::uint32_t tile_index,
                                     std::uint32_t element_offset,
                                     CallSite site = CallSite::here()) {
    const std::uint32_t address = get_tile_address(cb_id, tile_index, site);
    return reinterpret_cast<volatile std::uint32_t*>(std::uintptr_t{address})[element_offset];
}

}  // namespace ckernel
