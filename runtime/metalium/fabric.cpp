// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/fabric.hpp"

#include <array>
#include <numeric>
#include <string>

#include "runtime/metalium/convert.hpp"
#include "runtime/metalium/host_session.hpp"
#include "runtime/metalium/program_state.hpp"
#include "tessera/errors.hpp"
#include "tessera/fabric_args.hpp"
#include "tessera/window_layout.hpp"
#include "tt-metalium/enum_name.hpp"

namespace tt::tt_fabric {

using tessera::LinkDirection;
using tessera::require;
using tessera::metalium::HostSession;

namespace {

FabricConfig current_config = FabricConfig::DISABLED;

/// Topology that a kernel is told, and links of the mesh.
struct ConfigRow {
    FabricConfig config;
    Topology topology;
    tessera::Topology links;
};
constexpr std::array kConfigs{
    ConfigRow{FabricConfig::FABRIC_1D, Topology::Linear, tessera::Topology::Line},
    ConfigRow{FabricConfig::FABRIC_1D_NEIGHBOR_EXCHANGE, Topology::NeighborExchange,
              tessera::Topology::Line},
    // ring would leave the rows of a mesh with several of them open.
    ConfigRow{FabricConfig::FABRIC_1D_RING, Topology::Ring, tessera::Topology::Torus},
    ConfigRow{FabricConfig::FABRIC_2D, Topology::Mesh, tessera::Topology::Line},
    ConfigRow{FabricConfig::FABRIC_2D_TORUS_XY, Topology::Torus, tessera::Topology::Torus},
};

const ConfigRow* row_of(FabricConfig config) {
    for (const ConfigRow& row : kConfigs) {
        if (row.config == config) {
            return &row;
        }
    }
    return nullptr;
}

std::string allowed_configs() {
    std::string names = "DISABLED";
    for (const ConfigRow& row : kConfigs) {
        names += fmt::format(", {}", names::enum_name(row.config));
    }
    return names;
}

std::optional<tessera::LinkRoute> route_between(const FabricNodeId& source,
                                                const FabricNodeId& target) {
    const HostSession& session = HostSession::open();
    const std::uint32_t count = session.shape().num_devices();
    require(source.chip_id < count && target.chip_id < count,
            "no route from device {} to device {}: the mesh has devices 0 to {}", source.chip_id,
            target.chip_id, count - 1);
    return tessera::straight_route(session.shape(), session.machine().mesh().topology,
                                   source.chip_id, target.chip_id);
}

}  // namespace

void SetFabricConfig(FabricConfig config, FabricReliabilityMode /*mode*/,
                     std::optional<std::uint8_t> /*num_routing_planes*/) {
    if (config != FabricConfig::DISABLED) {
        const ConfigRow* row = row_of(config);
        const std::string call = fmt::format("SetFabricConfig({})", names::enum_name(config));
        require(row != nullptr, "{}: allowed: {}", call, allowed_configs());
        HostSession::choose_topology(row->links, call);
    }
    current_config = config;
}
FabricConfig GetFabricConfig() {
    return current_config;
}
bool is_1d_fabric_config(FabricConfig config) {
    return config == FabricConfig::FABRIC_1D_NEIGHBOR_EXCHANGE ||
           config == FabricConfig::FABRIC_1D || config == FabricConfig::FABRIC_1D_RING;
}
bool is_2d_fabric_config(FabricConfig config) {
    return config == FabricConfig::FABRIC_2D || config == FabricConfig::FABRIC_2D_TORUS_X ||
           config == FabricConfig::FABRIC_2D_TORUS_Y || config == FabricConfig::FABRIC_2D_TORUS_XY;
}
Topology get_fabric_topology() {
    const ConfigRow* row = row_of(current_config);
    require(row != nullptr, "get_fabric_topology: the fabric is disabled; call SetFabricConfig");
    return row->topology;
}

std::size_t get_tt_fabric_packet_header_size_bytes() {
    return tessera::kPacketHeaderSize;
}
std::size_t get_tt_fabric_max_payload_size_bytes() {
    return tessera::largest_fabric_payload(HostSession::open().arch().noc.max_packet);
}
std::size_t get_tt_fabric_channel_buffer_size_bytes() {
    return get_tt_fabric_packet_header_size_bytes() + get_tt_fabric_max_payload_size_bytes();
}

std::optional<eth_chan_directions> get_eth_forwarding_direction(FabricNodeId source,
                                                                FabricNodeId target) {
    static_assert(static_cast<int>(LinkDirection::South) == eth_chan_directions::SOUTH);
    const auto route = route_between(source, target);
    return route ? std::optional(static_cast<eth_chan_directions>(route->direction)) : std::nullopt;
}
std::vector<std::uint32_t> get_forwarding_link_indices(const FabricNodeId& source,
                                                       const FabricNodeId& target) {
    std::vector<std::uint32_t> links(route_between(source, target) ? tessera::kLinksPerDirection
                                                                   : 0);
    std::iota(links.begin(), links.end(), 0);
    return links;
}

void detail::append_connection(const FabricNodeId& source, const FabricNodeId& target,
                               std::uint32_t link, tt_metal::Program& program,
                               const CoreCoord& worker, std::vector<std::uint32_t>& args) {
    tessera::append_fabric_connection_rt_args(HostSession::open().machine().mesh(), source.chip_id,
                                              target.chip_id, link, program.state().program,
                                              tessera::metalium::to_tessera(worker), args);
}

}  // namespace tt::tt_fabric
