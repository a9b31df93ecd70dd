// SPDX-License-Identifier: Apache-2.0
#include "emu/mesh/link.hpp"

#include "emu/core/fault.hpp"
#include "emu/mesh/mesh.hpp"

namespace tessera {

std::string to_string(LinkChannel channel) {
    return fmt::format("link {} to the {}", channel.link, name_of(channel.direction));
}

Device& across_links(const Device& from, LinkRoute route, const char* call, CallSite site) {
    // A kernel computes its route from runtime arguments, so a wrong route is the kernel's fault.
    const Mesh* mesh = from.mesh();
    if (mesh == nullptr) {
        fault(FaultCategory::OutOfBounds, site,
              "{}: device {} is the only device of the mesh and has no links", call, from.id());
    }
    const auto target = mesh->neighbour(from.id(), route.direction, route.hops);
    if (!target) {
        const auto& [shape, topology, device] = mesh->spec();
        fault(FaultCategory::OutOfBounds, site,
              "{}: {} {} {} of device {} lies outside the mesh of {}×{} devices ({})", call,
              route.hops, route.hops == 1 ? "hop" : "hops", name_of(route.direction), from.id(),
              shape.rows, shape.columns, name_of(topology));
    }
    return mesh->device(*target);
}

}  // namespace tessera
