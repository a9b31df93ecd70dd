// SPDX-License-Identifier: Apache-2.0
// Converts row-major elements in a circular buffer to tiles in another one. The calls acquire and
// release DST themselves, so they are not allowed between tile_regs_acquire and tile_regs_release.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace ckernel {

/// Configures all units and arms tilize_block. Each row of the input holds `block` tiles.
void tilize_init(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb = 16,
                 CallSite site = CallSite::here());
/// Arms tilize_block. Does not change formats.
void tilize_init_short(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb = 16,
                       CallSite site = CallSite::here());
inline void tilize_init_no_pack(std::uint32_t icb, std::uint32_t block,
                                CallSite site = CallSite::here()) {
    tilize_init_short(icb, block, 16, site);
}
/// Does the same as tilize_init_short, and gives SrcA the format of `new_icb`.
void tilize_init_short_with_dt(std::uint32_t old_icb, std::uint32_t new_icb, std::uint32_t block,
                               std::uint32_t ocb = 16, CallSite site = CallSite::here());

/// Packs `block` tiles from 32 row-major rows at the read pointer of `icb`. The init gives the
/// length of a row; `input_tile_index` is the first tile in the rows. Writes the tiles to `ocb` in
/// order, or to the pages from `output_tile_index` on if that is not 0.
/// Errors   as copy_tile and pack_tile; UndefinedBehavior if DST is acquired.
void tilize_block(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb,
                  std::uint32_t input_tile_index = 0, std::uint32_t output_tile_index = 0,
                  CallSite site = CallSite::here());

/// Disarms tilize_block. The next operation needs its own init.
void tilize_uninit(std::uint32_t icb, std::uint32_t ocb = 16, CallSite site = CallSite::here());
void tilize_uninit_with_dt(std::uint32_t old_icb = 0, std::uint32_t new_icb = 1,
                           std::uint32_t ocb = 16, CallSite site = CallSite::here());

// The chip has a faster instruction sequence for the same operation.
inline void fast_tilize_init(std::uint32_t icb, std::uint32_t full_dim, std::uint32_t ocb,
                             CallSite site = CallSite::here()) {
    tilize_init_short(icb, full_dim, ocb, site);
}
inline void fast_tilize_init_with_dt(std::uint32_t icb, std::uint32_t full_dim, std::uint32_t ocb,
                                     CallSite site = CallSite::here()) {
    tilize_init_short_with_dt(icb, icb, full_dim, ocb, site);
}
inline void fast_tilize_block(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb,
                              std::uint32_t input_tile_index = 0,
                              std::uint32_t output_tile_index = 0,
                              CallSite site = CallSite::here()) {
    tilize_block(icb, block, ocb, input_tile_index, output_tile_index, site);
}
inline void fast_tilize_uninit(std::uint32_t icb, std::uint32_t ocb, std::uint32_t /*full_dim*/ = 0,
                               CallSite site = CallSite::here()) {
    tilize_uninit(icb, ocb, site);
}

}  // namespace ckernel
