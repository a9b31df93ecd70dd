// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/tile_regs.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "tessera/kernel/compute/sfpi_lanes.hpp"

namespace ckernel {

namespace {

// A call that changes nothing is not recorded: its replay would wait for a half of DST that no call
// hands over.
void record_if(bool changes, tessera::EventKind kind, CallSite site) {
    if (changes) {
        record_dst(tessera::current_thread(), kind, site);
    }
}

}  // namespace

void tile_regs_acquire(CallSite site) {
    record_if(tessera::current_units("tile_regs_acquire", site).dst.acquire(site),
              tessera::EventKind::DstAcquire, site);
}

void tile_regs_commit(CallSite site) {
    // A kernel may run sfpi code without a _llk_math_eltwise_…_params_ call, which would record it.
    tessera::kernel::record_vector_function();
    record_if(tessera::current_units("tile_regs_commit", site).dst.commit(site),
              tessera::EventKind::DstCommit, site);
}

void tile_regs_wait(CallSite site) {
    record_if(tessera::current_units("tile_regs_wait", site).dst.wait(site),
              tessera::EventKind::DstWait, site);
}

void tile_regs_release(CallSite site) {
    record_if(tessera::current_units("tile_regs_release", site).dst.release(site),
              tessera::EventKind::DstRelease, site);
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
