// SPDX-License-Identifier: Apache-2.0
// The fabric between the devices of a mesh: its configuration, and arguments of workers'
// connections. Not here: muxes and routers on Ethernet cores, which Tessera does not emulate.
// Source   tt-metal tt_metal/api/tt-metalium/experimental/fabric, hostdevcommon/fabric_common.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tt-metalium/core_coord.hpp"
#include "tt-metalium/fabric_node_id.hpp"
#include "tt-metalium/host_api.hpp"

/// Directions in which links leave a device.
enum eth_chan_directions : std::uint8_t {
    EAST = 0,
    WEST = 1,
    NORTH = 2,
    SOUTH = 3,
    Z = 4,
    COUNT = 5
};

namespace tt::tt_fabric {

/// Values that kernels read as tt::tt_fabric::Topology.
enum class Topology { NeighborExchange, Linear, Ring, Mesh, Torus };

enum class FabricConfig : std::uint32_t {
    DISABLED,
    FABRIC_1D_NEIGHBOR_EXCHANGE,
    FABRIC_1D,
    FABRIC_1D_RING,
    FABRIC_2D,
    FABRIC_2D_TORUS_X,
    FABRIC_2D_TORUS_Y,
    FABRIC_2D_TORUS_XY,
    CUSTOM
};
enum class FabricReliabilityMode : std::uint32_t {
    STRICT_SYSTEM_HEALTH_SETUP_MODE,
    RELAXED_SYSTEM_HEALTH_SETUP_MODE,
    DYNAMIC_RECONFIGURATION_SETUP_MODE
};

/// Chooses the links of the mesh, unless tessera exec --topology gives them: FABRIC_1D and
/// FABRIC_2D use lines, FABRIC_1D_RING and FABRIC_2D_TORUS_XY close every row and column.
/// Errors   std::runtime_error for another configuration, and if a device that was opened before
///          has other links.
void SetFabricConfig(
    FabricConfig config,
    FabricReliabilityMode mode = FabricReliabilityMode::STRICT_SYSTEM_HEALTH_SETUP_MODE,
    std::optional<std::uint8_t> num_routing_planes = std::nullopt);
[[nodiscard]] FabricConfig GetFabricConfig();
[[nodiscard]] bool is_1d_fabric_config(FabricConfig config);
[[nodiscard]] bool is_2d_fabric_config(FabricConfig config);

/// Returns the topology that programs pass to kernels.
/// Errors   std::runtime_error while the fabric is disabled.
[[nodiscard]] Topology get_fabric_topology();

[[nodiscard]] std::size_t get_tt_fabric_packet_header_size_bytes();
/// Returns the largest payload of a packet. Opens the emulated mesh.
[[nodiscard]] std::size_t get_tt_fabric_max_payload_size_bytes();
/// Returns the largest packet: a header and its payload.
[[nodiscard]] std::size_t get_tt_fabric_channel_buffer_size_bytes();

/// Returns the direction in which a straight route between two devices begins; none if there is no
/// straight route.
[[nodiscard]] std::optional<eth_chan_directions> get_eth_forwarding_direction(FabricNodeId source,
                                                                              FabricNodeId target);
/// Returns the links that a connection may use, or none without a straight route.
[[nodiscard]] std::vector<std::uint32_t> get_forwarding_link_indices(const FabricNodeId& source,
                                                                     const FabricNodeId& target);

namespace detail {
void append_connection(const FabricNodeId& source, const FabricNodeId& target, std::uint32_t link,
                       tt_metal::Program& program, const CoreCoord& worker,
                       std::vector<std::uint32_t>& args);
}

/// Appends the arguments that WorkerToFabricEdmSender::build_from_args reads on `worker`.
/// Errors   std::runtime_error if source and target share neither a row nor a column, or if there
///          is no such link.
template <std::same_as<tt_metal::Program> Program = tt_metal::Program>
void append_fabric_connection_rt_args(const FabricNodeId& source, const FabricNodeId& target,
                                      std::uint32_t link, Program& program, const CoreCoord& worker,
                                      std::vector<std::uint32_t>& args,
                                      CoreType /*core_type*/ = CoreType::WORKER) {
    detail::append_connection(source, target, link, program, worker, args);
}

}  // namespace tt::tt_fabric

namespace tt::tt_metal::detail {
using tt::tt_fabric::SetFabricConfig;
}
