// SPDX-License-Identifier: Apache-2.0
// Machine for which a run is timed: its device model with the ranges of its constants, and its
// mesh.
#pragma once

#include "runtime/config/load.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timed_run {

struct TimedMachine {
    ArchSpec arch;
    TimingBounds timing;
    MeshSpec mesh;
};

[[nodiscard]] inline TimedMachine machine_of(const config::LoadedRun& loaded) {
    return {loaded.arch, loaded.timing, loaded.run.mesh};
}

}  // namespace tessera::timed_run
