// SPDX-License-Identifier: Apache-2.0
// Copies tiles from circular buffers to DST, and between DST tiles.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace ckernel {

/// Arms copy_tile. Does not change the formats of the source registers.
/// Errors   Unimplemented if only one of the two transposes (faces, inside faces) is asked for.
void copy_tile_to_dst_init_short(std::uint32_t cbid = 0, std::uint32_t transpose = 0,
                                 std::uint32_t transpose_within_16x16_face = 0,
                                 CallSite site = CallSite::here());
inline void copy_tile_init(std::uint32_t cbid = 0, CallSite site = CallSite::here()) {
    copy_tile_to_dst_init_short(cbid, 0, 0, site);
}
inline void copy_init(std::uint32_t cbid, CallSite site = CallSite::here()) {
    copy_tile_to_dst_init_short(cbid, 0, 0, site);
}
/// Arms copy_tile and gives SrcA the format of `new_cbid`.
void copy_tile_to_dst_init_short_with_dt(std::uint32_t old_cbid, std::uint32_t new_cbid,
                                         std::uint32_t transpose = 0,
                                         CallSite site = CallSite::here());

/// DST[dst_tile_index] = tile `in_tile_index` behind the read pointer of `in_cb_id`.
/// Numeric  Float32 passes through SrcA as TF32; integers keep their bits.
/// Errors   UndefinedBehavior for a tile that cb_wait_front has not granted.
void copy_tile(std::uint32_t in_cb_id, std::uint32_t in_tile_index, std::uint32_t dst_tile_index,
               CallSite site = CallSite::here());

/// Does copy_tile for `ntiles` adjacent tiles.
void copy_block_matmul_partials(std::uint32_t in_cb_id, std::uint32_t start_in_tile_index,
                                std::uint32_t start_dst_tile_index, std::uint32_t ntiles,
                                CallSite site = CallSite::here());

inline void copy_dest_values_init(CallSite /*site*/ = CallSite::here()) {
}
/// DST[idst_out] = DST[idst_in].
void copy_dest_values(std::uint32_t idst_in, std::uint32_t idst_out,
                      CallSite site = CallSite::here());
/// Does the same for a tile of `format`.
template <DataFormat format>
void copy_dest_values(std::uint32_t idst_in, std::uint32_t idst_out,
                      CallSite site = CallSite::here()) {
    copy_dest_values(idst_in, idst_out, site);
}

}  // namespace ckernel
