// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/replay.hpp"

#include "emu/timing/engine.hpp"
#include "emu/timing/outcome.hpp"
#include "emu/timing/setup.hpp"

namespace tessera::timing {

ReplayState::ReplayState(const Trace& whole, const LaunchTrace& of, const Machine& on,
                         const ReplayOptions& with)
    : trace(whole), launch(of), machine(on), options(with), costs(on.timing, whole), transport(on) {
}

LaunchTimeline replay(const Trace& trace, const LaunchTrace& launch, const Machine& machine,
                      const ReplayOptions& options) {
    ReplayState state(trace, launch, machine, options);
    set_up(state);
    run(state);
    return to_timeline(state);
}

}  // namespace tessera::timing
