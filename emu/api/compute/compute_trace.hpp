// SPDX-License-Identifier: Apache-2.0
// Records the trace events of compute calls.
#pragma once

#include <cstdint>

#include "emu/core/compute_state.hpp"
#include "emu/core/trace_recorder.hpp"
#include "tessera/kernel/compute/sfpu_functions.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// Records one event of `kind`, with the fidelity of the thread.
inline void record_compute(KernelThread& thread, EventKind kind, std::uint8_t detail,
                           ComputeArgument argument, CallSite site) {
    if (thread.recorder) {
        argument.fidelity = thread.compute->fidelity;
        thread.recorder->run(kind, detail, argument.pack(), site);
    }
}

/// Records an init. An init of UnitInitKind::Operation right after a Full one at the same line is
/// part of that event and records none.
void record_init(KernelThread& thread, UnitInitKind kind, std::uint32_t cb, CallSite site);

/// Faces of a tile that a vector mode processes.
enum class SfpuFaces : std::uint8_t { All, Half };

/// Properties of a call of the vector unit that its time depends on.
struct SfpuAct {
    kernel::SfpuForm form = kernel::SfpuForm::OfKernel;
    SfpuFaces faces = SfpuFaces::All;
};

/// Records a call of the vector unit on DST. `call` must outlive the launch.
void record_sfpu(KernelThread& thread, const char* call, CallSite site, SfpuAct act = {});

/// Records a tile that is packed to `cb`, in the format and shape of that CB.
void record_pack(KernelThread& thread, EventKind kind, std::uint32_t cb, CallSite site);

/// Records the six events of a tile that a call moves through DST on its own: acquire, `kind` from
/// `in_cb`, commit, wait, pack to `out_cb`, release.
void record_section(KernelThread& thread, EventKind kind, std::uint32_t in_cb, std::uint32_t out_cb,
                    CallSite site);

/// Records a call that acquires, commits, waits for or releases DST.
inline void record_dst(KernelThread& thread, EventKind kind, CallSite site) {
    record_run(thread, kind, 0, 0, site);
}

}  // namespace tessera
