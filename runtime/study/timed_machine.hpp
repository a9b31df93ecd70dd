// SPDX-License-Identifier: Apache-2.0
// Machine for which a run is timed: its device model with the ranges of its constants, and its
// mesh.
#pragma once

#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {
struct LoadedRun;
}

namespace tessera::timed_run {

struct TimedMachine {
    ArchSpec arch;
    TimingBounds timing;
    MeshSpec mesh;
};

[[nodiscard]] TimedMachine machine_of(const config::LoadedRun& loaded);

}  // namespace tessera::timed_run
