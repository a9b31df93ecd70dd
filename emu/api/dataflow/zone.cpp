// SPDX-License-Identifier: Apache-2.0
#include "emu/core/trace_recorder.hpp"
#include "tessera/kernel/profiler.hpp"

namespace tessera::kernel {

void begin_zone(const char* name, CallSite site) {
    record_act(current_thread(), EventKind::ZoneBegin, 0, 1, name_argument(name), site);
}

void end_zone(const char* name, CallSite site) noexcept {
    record_act(current_thread(), EventKind::ZoneEnd, 0, 1, name_argument(name), site);
}

}  // namespace tessera::kernel
