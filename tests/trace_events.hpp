// SPDX-License-Identifier: Apache-2.0
// Events as tests write and print them.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <vector>

#include "emu/core/trace_recorder.hpp"

namespace tessera {

inline void PrintTo(const TraceEvent& event, std::ostream* out) {
    *out << fmt::format("kind {} detail {} site {} count {} argument {:#x}",
                        static_cast<int>(event.kind), event.detail, event.site, event.count,
                        event.argument);
}

}  // namespace tessera

namespace tessera::testing {

inline void start_recording(KernelThread& thread) {
    thread.recorder = std::make_unique<TraceRecorder>();
}

/// Returns the events of the thread without source lines.
inline std::vector<TraceEvent> events_of(KernelThread& thread) {
    std::vector<TraceEvent> events = thread.recorder->events();
    for (TraceEvent& event : events) {
        event.site = 0;
    }
    return events;
}

/// Returns an event without a line.
inline TraceEvent event(EventKind kind, unsigned detail, std::uint32_t count,
                        std::uint64_t argument) {
    return {kind, static_cast<std::uint8_t>(detail), 0, count, argument};
}

}  // namespace tessera::testing
