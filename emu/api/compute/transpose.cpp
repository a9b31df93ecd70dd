// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/transpose.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "tessera/kernel/compute/init.hpp"
#include "tessera/kernel/compute/transpose.hpp"

namespace tessera::kernel {

void arm_transpose_dest(CallSite site) {
    current_units("transpose_wh_dest_init_short", site).can_transpose_dst = true;
    record_init(current_thread(), UnitInitKind::Operation, 0, site);
}

void transpose_dest(std::uint32_t idst, CallSite site) {
    ComputeState& units = current_units("transpose_wh_dest", site);
    if (!units.can_transpose_dst) {
        fault(FaultCategory::UndefinedBehavior, site,
              "transpose_wh_dest: transpose_wh_dest_init_short has not run in this launch");
    }
    float* tile = dst_tile_as_is(units.dst, idst, "transpose_wh_dest", site);
    record_sfpu(current_thread(), "transpose_wh_dest", site);
    tile::transpose_tile(tile, tile);
}

}  // namespace tessera::kernel

namespace ckernel {

void transpose_wh_init(std::uint32_t icb, std::uint32_t ocb, CallSite site) {
    tessera::kernel::configure_units(icb, icb, ocb, "transpose_wh_init", site);
    transpose_wh_init_short(icb, site);
}

void transpose_wh_init_short(std::uint32_t icb, CallSite site) {
    tessera::current_units("transpose_wh_init_short", site).armed = {
        .operation = tessera::UnitOperation::Transpose,
        .init = "transpose_wh_init_short",
        .site = site};
    record_init(tessera::current_thread(), tessera::UnitInitKind::Operation, icb, site);
}

void transpose_wh_tile(std::uint32_t icb, std::uint32_t itile, std::uint32_t idst, CallSite site) {
    const tessera::ComputeState& units = tessera::current_units("transpose_wh_tile", site);
    require_armed(units.armed, tessera::UnitOperation::Transpose, "transpose_wh_tile",
                  "transpose_wh_init_short", site);
    float* tile = tessera::copy_to_dst(tessera::current_thread(), icb, itile, idst,
                                       {tessera::EventKind::Transpose}, "transpose_wh_tile", site);
    tessera::tile::transpose_tile(tile, tile);
}

}  // namespace ckernel
