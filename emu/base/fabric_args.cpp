// SPDX-License-Identifier: Apache-2.0
#include "tessera/fabric_args.hpp"

#include "tessera/errors.hpp"

namespace tessera {

void append_fabric_connection_rt_args(LinkDirection direction, std::uint32_t link_index,
                                      Program& program, CoreCoord worker,
                                      std::vector<std::uint32_t>& args) {
    require(link_index < kLinksPerDirection,
            "append_fabric_connection_rt_args: link {} of {}: a device has links 0 to {} in each "
            "direction",
            link_index, name_of(direction), kLinksPerDirection - 1);
    args.push_back(static_cast<std::uint32_t>(direction) +
                   static_cast<std::uint32_t>(kLinkDirections.size()) * link_index);
    args.push_back(CreateSemaphore(program, worker, 0));
    args.push_back(CreateSemaphore(program, worker, 0));
}

void append_fabric_connection_rt_args(const MeshSpec& mesh, std::uint32_t source,
                                      std::uint32_t destination, std::uint32_t link_index,
                                      Program& program, CoreCoord worker,
                                      std::vector<std::uint32_t>& args) {
    const std::uint32_t count = mesh.shape.num_devices();
    require(source < count && destination < count,
            "append_fabric_connection_rt_args: from device {} to device {}: the mesh has devices "
            "0 to {}",
            source, destination, count - 1);
    const auto route = straight_route(mesh.shape, mesh.topology, source, destination);
    require(route.has_value(),
            "append_fabric_connection_rt_args: no straight run of links leads from device {} to "
            "device {} of a {}×{} mesh",
            source, destination, mesh.shape.rows, mesh.shape.columns);
    append_fabric_connection_rt_args(route->direction, link_index, program, worker, args);
}

}  // namespace tessera
