// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/zones.hpp"

#include "tessera/errors.hpp"

namespace tessera::timing {

Progress do_zone(ReplayState& state, EngineThread& thread) {
    const TraceEvent& event = thread.event();
    const auto name = static_cast<std::uint32_t>(event.argument);
    thread.log.spend(Activity::Zone, thread.site(), state.costs.risc.zone);
    if (event.kind == EventKind::ZoneBegin) {
        thread.zones.push_back({name, thread.log.now()});
        return Progress::Finished;
    }
    require(!thread.zones.empty() && thread.zones.back().name == name,
            "trace: zone '{}' ends at event {} and was not begun last", state.trace.names.at(name),
            thread.next);
    state.zones.push_back({thread.index, name, thread.zones.back().begin, thread.log.now()});
    thread.zones.pop_back();
    return Progress::Finished;
}

}  // namespace tessera::timing
