// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/blocked.hpp"

#include <fmt/format.h>

#include <string>

#include "tessera/errors.hpp"

namespace tessera::timing {
namespace {

constexpr std::size_t kMostNamed = 8;

std::string name_at(const ReplayState& state, std::size_t index) {
    return index < state.trace.names.size() ? state.trace.names[index] : "?";
}

std::string place_of(const ReplayState& state, const EngineThread& thread) {
    const auto& sites = thread.trace->sites;
    const std::size_t site = thread.event().site;
    if (site >= sites.size()) {
        return name_at(state, thread.trace->kernel);
    }
    return fmt::format("{}:{}", name_at(state, sites[site].file), sites[site].line);
}

std::string object_of(const EngineThread& thread) {
    switch (thread.blocked_on) {
        case Activity::WaitCbData:
        case Activity::WaitCbSpace:
            return fmt::format(", CB {}", thread.blocked_object);
        case Activity::WaitSemaphore:
            return fmt::format(", word at {} for {}", thread.blocked_object, thread.event().count);
        default:
            return "";
    }
}

std::string describe(const ReplayState& state, const EngineThread& thread) {
    const CoreTrace& core = *state.cores[thread.core].trace;
    return fmt::format("device {} core ({},{}) {} {}: {}{}", core.device, core.core.x, core.core.y,
                       name_of(thread.role), place_of(state, thread), name_of(thread.blocked_on),
                       object_of(thread));
}

}  // namespace

void require_all_finished(const ReplayState& state) {
    std::string named;
    std::size_t count = 0;
    for (const EngineThread& thread : state.threads) {
        if (!thread.is_finished && ++count <= kMostNamed) {
            named += "\n  " + describe(state, thread);
        }
    }
    if (count > kMostNamed) {
        named += fmt::format("\n  and {} more", count - kMostNamed);
    }
    ensure(count == 0, "the trace of launch '{}' cannot be replayed, {} threads wait for ever:{}\n",
           state.launch.name, count, named);
}

}  // namespace tessera::timing
