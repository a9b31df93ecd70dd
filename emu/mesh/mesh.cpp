// SPDX-License-Identifier: Apache-2.0
#include "emu/mesh/mesh.hpp"

#include "tessera/mesh_links.hpp"

namespace tessera {

Mesh::Mesh(const MeshSpec& spec, const ArchSpec& arch) : spec_(spec) {
    for (std::uint32_t id = 0; id < spec.shape.num_devices(); ++id) {
        devices_.push_back(std::make_unique<Device>(arch, id, this));
    }
}

std::optional<std::uint32_t> Mesh::neighbour(std::uint32_t from, LinkDirection direction,
                                             std::uint32_t hops) const {
    return tessera::neighbour(spec_.shape, spec_.topology, from, {direction, hops});
}

}  // namespace tessera
