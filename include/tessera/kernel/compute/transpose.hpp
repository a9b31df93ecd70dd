// SPDX-License-Identifier: Apache-2.0
// Transposition of tiles, while they are unpacked to DST or in DST.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {
void arm_transpose_dest(CallSite site);
void transpose_dest(std::uint32_t idst, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

/// Configures all units and arms transpose_wh_tile.
void transpose_wh_init(std::uint32_t icb, std::uint32_t ocb, CallSite site = CallSite::here());
/// Arms transpose_wh_tile. Does not change formats.
void transpose_wh_init_short(std::uint32_t icb, CallSite site = CallSite::here());
/// DST[idst] = transpose of icb[itile].
void transpose_wh_tile(std::uint32_t icb, std::uint32_t itile, std::uint32_t idst,
                       CallSite site = CallSite::here());

/// Arms transpose_wh_dest. The operation that the unpacker is armed for stays armed.
template <bool is_32bit = false>
void transpose_wh_dest_init_short(CallSite site = CallSite::here()) {
    tessera::kernel::arm_transpose_dest(site);
}
/// DST[idst] = transpose of DST[idst].
template <bool is_32bit = false>
void transpose_wh_dest(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::transpose_dest(idst, site);
}

// Names since tt-metal #46346.
inline void transpose_init(std::uint32_t icb, CallSite site = CallSite::here()) {
    transpose_wh_init_short(icb, site);
}
inline void transpose_tile(std::uint32_t icb, std::uint32_t itile, std::uint32_t idst,
                           CallSite site = CallSite::here()) {
    transpose_wh_tile(icb, itile, idst, site);
}
template <bool is_32bit = false>
void transpose_dest_init(CallSite site = CallSite::here()) {
    tessera::kernel::arm_transpose_dest(site);
}
/// Does the same for a tile of `icb`; also swaps faces.
template <bool is_32bit = false, bool transpose_of_faces = true>
void transpose_dest_init(std::uint32_t /*icb*/, CallSite site = CallSite::here()) {
    static_assert(transpose_of_faces, "transposes inside faces alone are not emulated");
    tessera::kernel::arm_transpose_dest(site);
}
template <bool is_32bit = false, bool transpose_of_faces = true>
void transpose_dest(std::uint32_t idst, CallSite site = CallSite::here()) {
    static_assert(transpose_of_faces, "transposes inside faces alone are not emulated");
    tessera::kernel::transpose_dest(idst, site);
}

}  // namespace ckernel
