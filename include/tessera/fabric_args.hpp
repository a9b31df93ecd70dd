// SPDX-License-Identifier: Apache-2.0
// Host side of a worker kernel's connection to a mesh link.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core_coord.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Appends the three runtime arguments that `WorkerToFabricEdmSender::build_from_args` reads on
/// `worker`: the channel (direction + 4 · link) and two semaphores, which it creates there as
/// tt-metal does (16 are all a core has).
/// Errors   UsageError if `link_index` is not below kLinksPerDirection.
/// Source   tt-metal tt_metal/api/tt-metalium/experimental/fabric/fabric.hpp.
void append_fabric_connection_rt_args(LinkDirection direction, std::uint32_t link_index,
                                      Program& program, CoreCoord worker,
                                      std::vector<std::uint32_t>& args);

/// As above, over the link on which the straight route from `source` to `destination` begins.
/// Errors   UsageError if there is none, or a device is not in the mesh.
void append_fabric_connection_rt_args(const MeshSpec& mesh, std::uint32_t source,
                                      std::uint32_t destination, std::uint32_t link_index,
                                      Program& program, CoreCoord worker,
                                      std::vector<std::uint32_t>& args);

}  // namespace tessera
