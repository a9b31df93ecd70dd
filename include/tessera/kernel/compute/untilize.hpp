// SPDX-License-Identifier: Apache-2.0
// Converts tiles to row-major elements, in the unpacker (untilize_*) or in the packer
// (pack_untilize_*).
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {
/// Width of a row-major block in tiles: the part that one call writes, and a whole row.
struct UntilizeShape {
    std::uint32_t block_tiles;
    std::uint32_t row_tiles;
};
void untilize(std::uint32_t icb, std::uint32_t row_tiles, std::uint32_t ocb, CallSite site);
void arm_pack_untilize(const char* call, CallSite site);
void arm_pack_untilize_copy(std::uint32_t icb, std::uint32_t ocb, const char* call, CallSite site);
void pack_untilize_block(UntilizeShape shape, std::uint32_t icb, std::uint32_t block_rt_dim,
                         std::uint32_t ocb, std::uint32_t block_c_index, CallSite site);
void pack_untilize_dest(UntilizeShape shape, std::uint32_t ocb, std::uint32_t block_rt_dim,
                        std::uint32_t block_c_index, std::uint32_t first_dst_tile, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

/// Configures all units and arms untilize_block.
void untilize_init(std::uint32_t icb, std::uint32_t ocb, CallSite site = CallSite::here());
/// Arms untilize_block. Does not change formats.
void untilize_init_short(std::uint32_t icb, CallSite site = CallSite::here());
inline void untilize_init(std::uint32_t icb, CallSite site = CallSite::here()) {
    untilize_init_short(icb, site);
}
void untilize_init_short_with_dt(std::uint32_t old_icb, std::uint32_t new_icb,
                                 CallSite site = CallSite::here());
/// Writes `full_ct_dim` tiles of `icb` as 32 rows of full_ct_dim·32 elements to `ocb`, in order.
/// Acquires and releases DST itself, so it is not allowed between tile_regs_acquire and
/// tile_regs_release.
template <std::uint32_t block_ct_dim = 1>
void untilize_block(std::uint32_t icb, std::uint32_t full_ct_dim, std::uint32_t ocb,
                    CallSite site = CallSite::here()) {
    tessera::kernel::untilize(icb, full_ct_dim, ocb, site);
}
/// Disarms untilize_block. The next operation needs its own init.
void untilize_uninit(std::uint32_t icb, CallSite site = CallSite::here());

/// Configures the units, arms the copy and switches the packer to rows.
template <std::uint32_t block_ct_dim = 8, std::uint32_t full_ct_dim = block_ct_dim>
void pack_untilize_init(std::uint32_t icb, std::uint32_t ocb, CallSite site = CallSite::here()) {
    tessera::kernel::arm_pack_untilize_copy(icb, ocb, "pack_untilize_init", site);
}
template <std::uint32_t block_ct_dim = 8, std::uint32_t full_ct_dim = block_ct_dim>
void pack_untilize_init_short(std::uint32_t icb, std::uint32_t ocb,
                              CallSite site = CallSite::here()) {
    tessera::kernel::arm_pack_untilize_copy(icb, ocb, "pack_untilize_init_short", site);
}
/// Does the same. On the chip this form keeps a mapping of DST rows, which does not affect values.
template <std::uint32_t block_ct_dim = 8, std::uint32_t full_ct_dim = block_ct_dim>
void pack_untilize_init_skip_remap(std::uint32_t icb, std::uint32_t ocb,
                                   CallSite site = CallSite::here()) {
    tessera::kernel::arm_pack_untilize_copy(icb, ocb, "pack_untilize_init_skip_remap", site);
}
/// Copies `block_ct_dim` tiles through DST and writes them as rows. Acquires and releases DST
/// itself.
/// Errors   Unimplemented for block_rt_dim other than 1.
template <std::uint32_t block_ct_dim = 8, std::uint32_t full_ct_dim = block_ct_dim>
void pack_untilize_block(std::uint32_t icb, std::uint32_t block_rt_dim, std::uint32_t ocb,
                         std::uint32_t block_c_index = 0, CallSite site = CallSite::here()) {
    tessera::kernel::pack_untilize_block({block_ct_dim, full_ct_dim}, icb, block_rt_dim, ocb,
                                         block_c_index, site);
}
/// Switches the packer back to tiles.
void pack_untilize_uninit(std::uint32_t ocb = 16, CallSite site = CallSite::here());

// The chip has a faster instruction sequence for a whole row of tiles.
template <std::uint32_t full_ct_dim>
void fast_untilize_init(std::uint32_t icb, std::uint32_t ocb, CallSite site = CallSite::here()) {
    untilize_init(icb, ocb, site);
}
template <std::uint32_t full_ct_dim>
void fast_untilize_init_skip_remap(std::uint32_t icb, std::uint32_t ocb,
                                   CallSite site = CallSite::here()) {
    untilize_init(icb, ocb, site);
}
/// Writes a row of tiles as rows of elements.
/// Errors   Unsupported for tiles that are not the first of the buffers.
template <std::uint32_t full_ct_dim>
void fast_untilize_block(std::uint32_t icb, std::uint32_t ocb, std::uint32_t input_tile_index = 0,
                         std::uint32_t output_tile_index = 0, CallSite site = CallSite::here()) {
    if (input_tile_index != 0 || output_tile_index != 0) {
        tessera::kernel::refuse_form("fast_untilize_block from or to another tile than the first",
                                     site);
    }
    tessera::kernel::untilize(icb, full_ct_dim, ocb, site);
}
template <std::uint32_t full_ct_dim>
void fast_untilize_uninit(std::uint32_t ocb, CallSite site = CallSite::here()) {
    untilize_uninit(ocb, site);
}

/// Switches the packer to rows, for tiles that math leaves in DST.
template <std::uint32_t block_ct_dim = 8, std::uint32_t full_ct_dim = block_ct_dim,
          bool diagonal = false, bool narrow_row = false, std::uint32_t row_num_datums = 16>
void pack_untilize_dest_init(std::uint32_t /*ocb*/, std::uint32_t /*face_r_dim*/ = 16,
                             std::uint32_t /*num_faces*/ = 4, CallSite site = CallSite::here()) {
    static_assert(!diagonal && !narrow_row, "diagonal and narrow packing are not emulated");
    tessera::kernel::arm_pack_untilize("pack_untilize_dest_init", site);
}
/// Writes DST tiles 0 … block_rt_dim·block_ct_dim − 1 at the write pointer of `ocb`, into rows of
/// full_ct_dim·32 elements from column block_c_index·block_ct_dim·32 on.
/// Precondition   the call is between tile_regs_wait and tile_regs_release.
template <std::uint32_t block_ct_dim = 8, std::uint32_t full_ct_dim = block_ct_dim,
          bool diagonal = false, bool narrow_row = false, std::uint32_t row_num_datums = 16,
          std::uint32_t tile_dst_ct_offset = 0>
void pack_untilize_dest(std::uint32_t ocb, std::uint32_t block_rt_dim = 1,
                        std::uint32_t block_c_index = 0, std::uint32_t /*face_r_dim*/ = 16,
                        std::uint32_t /*num_faces*/ = 4, std::uint32_t tile_dst_rt_offset = 0,
                        CallSite site = CallSite::here()) {
    static_assert(!diagonal && !narrow_row, "diagonal and narrow packing are not emulated");
    tessera::kernel::pack_untilize_dest({block_ct_dim, full_ct_dim}, ocb, block_rt_dim,
                                        block_c_index, tile_dst_ct_offset + tile_dst_rt_offset,
                                        site);
}
/// Older names.
template <std::uint32_t block_ct_dim = 8, std::uint32_t full_ct_dim = block_ct_dim,
          bool diagonal = false>
void pack_untilize_dst_init_short(std::uint32_t ocb, std::uint32_t face_r_dim = 16,
                                  std::uint32_t num_faces = 4, CallSite site = CallSite::here()) {
    pack_untilize_dest_init<block_ct_dim, full_ct_dim, diagonal>(ocb, face_r_dim, num_faces, site);
}
template <std::uint32_t block_ct_dim = 8, std::uint32_t full_ct_dim = block_ct_dim,
          bool diagonal = false>
void pack_untilize_dst(std::uint32_t ocb, std::uint32_t block_rt_dim = 1,
                       std::uint32_t block_c_index = 0, std::uint32_t face_r_dim = 16,
                       std::uint32_t num_faces = 4, CallSite site = CallSite::here()) {
    pack_untilize_dest<block_ct_dim, full_ct_dim, diagonal>(ocb, block_rt_dim, block_c_index,
                                                            face_r_dim, num_faces, 0, site);
}

}  // namespace ckernel
