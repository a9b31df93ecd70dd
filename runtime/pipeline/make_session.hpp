// SPDX-License-Identifier: Apache-2.0
// The session that a configuration asks for.
#pragma once

#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_modes.hpp"
#include "runtime/session/emulated_session.hpp"

namespace tessera::run {

/// The mesh of `loaded`, with its machine's freedom and its host's threads.
[[nodiscard]] inline EmulatedSession make_session(const config::LoadedRun& loaded,
                                                  const RunModes& modes) {
    const RunSpec& run = loaded.run;
    return {run.mesh,
            loaded.arch,
            {.threads = run.host.threads,
             .delivery = run.machine.noc_delivery,
             .seed = run.machine.delivery_seed,
             .trace = modes.trace,
             .maths = modes.maths,
             .bulk_data = modes.bulk_data,
             .trace_sink = modes.trace_sink}};
}

/// How far results are checked: not at all without maths.
[[nodiscard]] inline VerifySpec verify_of(const RunSpec& run, const RunModes& modes) {
    VerifySpec verify = run.verify;
    if (modes.maths == Maths::Off) {
        verify.level = VerifyLevel::Off;
    }
    return verify;
}

}  // namespace tessera::run
