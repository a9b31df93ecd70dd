// SPDX-License-Identifier: Apache-2.0
// What a tessera::Machine holds.
#pragma once

#include "runtime/config/load.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera {

struct MachineModel {
    config::LoadedArch device;
    MeshSpec mesh;
};

}  // namespace tessera
