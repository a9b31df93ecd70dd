// SPDX-License-Identifier: Apache-2.0
// Row-major elements in a circular buffer to tiles in another. Blocks hand DST over themselves, so
// they must not stand between acquire and release.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace ckernel {

/// Configures all units and arms tilize_block; `block` tiles stand side by side in each row.
void tilize_init(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb = 16,
                 CallSite site = CallSite::here());
/// Arms tilize_block; formats stay as they are.
void tilize_init_short(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb = 16,
                       CallSite site = CallSite::here());
inline void tilize_init_no_pack(std::uint32_t icb, std::uint32_t block,
                                CallSite site = CallSite::here()) {
    tilize_init_short(icb, block, 16, site);
}
/// As tilize_init_short, and gives SrcA the format of `new_icb`.
void tilize_init_short_with_dt(std::uint32_t old_icb, std::uint32_t new_icb, std::uint32_t block,
                               std::uint32_t ocb = 16, CallSite site = CallSite::here());

/// Packs `block` tiles from 32 row-major rows at the read pointer of `icb`, each row as long as
/// the block of the init, starting `input_tile_index` tiles into the rows. Tiles go to `ocb` in
/// order, or to page `output_tile_index` on if that is not 0.
/// Errors   as copy_tile and pack_tile; UndefinedBehavior if DST is acquired.
void tilize_block(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb,
                  std::uint32_t input_tile_index = 0, std::uint32_t output_tile_index = 0,
                  CallSite site = CallSite::here());

/// Disarms tilize_block; the next operation needs its init.
void tilize_uninit(std::uint32_t icb, std::uint32_t ocb = 16, CallSite site = CallSite::here());
void tilize_uninit_with_dt(std::uint32_t old_icb = 0, std::uint32_t new_icb = 1,
                           std::uint32_t ocb = 16, CallSite site = CallSite::here());

// The faster instruction sequence of the same operation.
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
