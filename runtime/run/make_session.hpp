// SPDX-License-Identifier: Apache-2.0
// The session that a configuration asks for.
#pragma once

#include "runtime/config/load.hpp"
#include "runtime/session/emulated_session.hpp"

namespace tessera::run {

/// The mesh of `loaded`, with its machine's freedom and its host's threads.
[[nodiscard]] inline EmulatedSession make_session(const config::LoadedRun& loaded) {
    const RunSpec& run = loaded.run;
    return {run.mesh,
            loaded.arch,
            {.threads = run.host.threads,
             .delivery = run.machine.noc_delivery,
             .seed = run.machine.delivery_seed}};
}

}  // namespace tessera::run
