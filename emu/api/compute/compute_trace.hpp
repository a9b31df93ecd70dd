// SPDX-License-Identifier: Apache-2.0
// Events of compute calls.
#pragma once

#include <cstdint>

#include "emu/core/compute_state.hpp"
#include "emu/core/trace_recorder.hpp"
#include "tessera/kernel/compute/sfpu_functions.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// One act of the unit `kind` names; the fidelity is the thread's.
inline void record_compute(KernelThread& thread, EventKind kind, std::uint8_t detail,
                           ComputeArgument argument, CallSite site) {
    if (thread.recorder) {
        argument.fidelity = thread.compute->fidelity;
        thread.recorder->run(kind, detail, argument.pack(), site);
    }
}

/// An init; an operation armed by an init that has just configured all units is part of that.
void record_init(KernelThread& thread, UnitInitKind kind, std::uint32_t cb, CallSite site);

/// How much of a tile a vector mode works on.
enum class SfpuFaces : std::uint8_t { All, Half };

/// How a function of the vector unit is worked out.
struct SfpuAct {
    kernel::SfpuForm form = kernel::SfpuForm::OfKernel;
    SfpuFaces faces = SfpuFaces::All;
};

/// A function of the vector unit on DST; `call` must outlive the launch.
void record_sfpu(KernelThread& thread, const char* call, CallSite site, SfpuAct act = {});

/// A tile packed to `cb`, in its format and shape.
void record_pack(KernelThread& thread, EventKind kind, std::uint32_t cb, CallSite site);

/// A tile that goes through a section of DST of its own: unpacked by `kind` from `in_cb`, packed
/// to `out_cb`.
void record_section(KernelThread& thread, EventKind kind, std::uint32_t in_cb, std::uint32_t out_cb,
                    CallSite site);

/// A call that hands DST over.
inline void record_dst(KernelThread& thread, EventKind kind, CallSite site) {
    record_run(thread, kind, 0, 0, site);
}

}  // namespace tessera
