// SPDX-License-Identifier: Apache-2.0
// Contents of a tessera::Machine.
#pragma once

#include "runtime/config/load.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera {

/// Device model and mesh of a machine.
struct MachineModel {
    config::LoadedArch device;
    MeshSpec mesh;
};

}  // namespace tessera
