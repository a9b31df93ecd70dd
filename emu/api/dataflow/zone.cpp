// SPDX-License-Identifier: Apache-2.0
#include "emu/core/trace_recorder.hpp"
#include "tessera/kernel/profiler.hpp"

namespace tessera::kernel {
namespace {

void record(EventKind kind, const char* name, CallSite site) {
    if (TraceRecorder* recorder = current_thread().recorder.get()) {
        recorder->append(kind, 0, 1, recorder->argument_of(name), site);
    }
}

}  // namespace

void begin_zone(const char* name, CallSite site) {
    record(EventKind::ZoneBegin, name, site);
}

void end_zone(const char* name, CallSite site) noexcept {
    record(EventKind::ZoneEnd, name, site);
}

}  // namespace tessera::kernel
