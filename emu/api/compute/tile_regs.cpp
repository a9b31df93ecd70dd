// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/tile_regs.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"

namespace ckernel {

void tile_regs_acquire(CallSite site) {
    tessera::current_units("tile_regs_acquire", site).dst.acquire(site);
    record_dst(tessera::current_thread(), tessera::EventKind::DstAcquire, site);
}

void tile_regs_commit(CallSite site) {
    tessera::current_units("tile_regs_commit", site).dst.commit(site);
    record_dst(tessera::current_thread(), tessera::EventKind::DstCommit, site);
}

void tile_regs_wait(CallSite site) {
    tessera::current_units("tile_regs_wait", site).dst.wait(site);
    record_dst(tessera::current_thread(), tessera::EventKind::DstWait, site);
}

void tile_regs_release(CallSite site) {
    tessera::current_units("tile_regs_release", site).dst.release(site);
    record_dst(tessera::current_thread(), tessera::EventKind::DstRelease, site);
}

void acquire_dst(CallSite site) {
    tile_regs_acquire(site);
    tile_regs_wait(site);
}

void release_dst(CallSite site) {
    tile_regs_commit(site);
    tile_regs_release(site);
}

}  // namespace ckernel
