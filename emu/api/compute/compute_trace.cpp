// SPDX-License-Identifier: Apache-2.0
#include "emu/api/compute/compute_trace.hpp"

#include "emu/core/core.hpp"

namespace tessera {
namespace {

// An init's operation after its Full comes from the same line.
bool is_part_of_full(TraceRecorder& recorder, UnitInitKind kind, CallSite site) {
    const TraceEvent* last = recorder.last_at(site);
    return kind == UnitInitKind::Operation && last != nullptr &&
           last->kind == EventKind::UnitInit &&
           last->detail == static_cast<std::uint8_t>(UnitInitKind::Full);
}

}  // namespace

void record_init(KernelThread& thread, UnitInitKind kind, std::uint32_t cb, CallSite site) {
    if (!thread.recorder || is_part_of_full(*thread.recorder, kind, site)) {
        return;
    }
    const UnitFormats& formats = thread.compute->formats;
    record_compute(thread, EventKind::UnitInit, static_cast<std::uint8_t>(kind),
                   {.srca = formats.srca,
                    .srcb = formats.srcb,
                    .out = formats.pack,
                    .cb = static_cast<std::uint8_t>(cb)},
                   site);
}

void record_sfpu(KernelThread& thread, const char* call, CallSite site, SfpuAct act) {
    if (!thread.recorder) {
        return;
    }
    const bool is_approximate = act.form == kernel::SfpuForm::OfKernel
                                    ? thread.compute->is_approximate
                                    : act.form == kernel::SfpuForm::Approximate;
    const unsigned detail = (is_approximate ? SfpuDetail::kApproximate : 0U) |
                            (act.faces == SfpuFaces::Half ? SfpuDetail::kHalfTile : 0U) |
                            (thread.compute->dst.is_32bit() ? SfpuDetail::kDst32 : 0U);
    TraceRecorder& recorder = *thread.recorder;
    recorder.run(EventKind::Sfpu, static_cast<std::uint8_t>(detail), recorder.argument_of(call),
                 site);
}

void record_pack(KernelThread& thread, EventKind kind, std::uint32_t cb, CallSite site) {
    const CircularBuffer& buffer = thread.core().circular_buffers[cb];
    const ComputeState& units = *thread.compute;
    const unsigned detail = (units.pack.accumulates_in_l1 ? PackDetail::kAccumulates : 0U) |
                            (units.dst.is_32bit() ? PackDetail::kDst32 : 0U);
    record_compute(
        thread, kind, static_cast<std::uint8_t>(detail),
        {.out = buffer.format, .cb = static_cast<std::uint8_t>(cb), .out_tile = buffer.tile}, site);
}

void record_section(KernelThread& thread, EventKind kind, std::uint32_t in_cb, std::uint32_t out_cb,
                    CallSite site) {
    if (!thread.recorder) {
        return;
    }
    record_dst(thread, EventKind::DstAcquire, site);
    const CircularBuffer& in = thread.core().circular_buffers[in_cb];
    record_compute(
        thread, kind, 0,
        {.srca = in.format, .cb = static_cast<std::uint8_t>(in_cb), .srca_tile = in.tile}, site);
    record_dst(thread, EventKind::DstCommit, site);
    record_dst(thread, EventKind::DstWait, site);
    record_pack(thread, EventKind::Pack, out_cb, site);
    record_dst(thread, EventKind::DstRelease, site);
}

}  // namespace tessera
