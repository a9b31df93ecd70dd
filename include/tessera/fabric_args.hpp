// SPDX-License-Identifier: Apache-2.0
// Host side of a worker kernel's connection to a mesh link, and the largest payload of a packet.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core_coord.hpp"
#include "tessera/data_format.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/units.hpp"

namespace tessera {

/// Returns the largest payload, in bytes, that the fabric can be configured for: whole bfp8_b tiles
/// that fit into a NoC packet together with a header of at most 96 bytes (1D fabric).
/// Source   tt-metal tech_reports/CCLs/CCL_bandwidth.md: 7616 on Wormhole, 15232 on Blackhole.
[[nodiscard]] constexpr std::uint32_t largest_fabric_payload(Bytes max_noc_packet) noexcept {
    constexpr std::uint32_t kLongestHeader = 96;
    constexpr std::uint32_t kTile = tile_bytes(DataFormat::Bfp8_b);
    return (static_cast<std::uint32_t>(max_noc_packet.value) - kLongestHeader) / kTile * kTile;
}
static_assert(largest_fabric_payload(Bytes{8192}) == 7616);
static_assert(largest_fabric_payload(Bytes{16384}) == 15232);

/// Appends the three runtime arguments that `WorkerToFabricEdmSender::build_from_args` reads on
/// `worker`: the channel (direction + 4 · link) and two semaphores. Creates the two semaphores on
/// the worker, as tt-metal does; a core has 16 in all.
/// Errors   UsageError if `link_index` is not below kLinksPerDirection.
/// Source   tt-metal tt_metal/api/tt-metalium/experimental/fabric/fabric.hpp.
void append_fabric_connection_rt_args(LinkDirection direction, std::uint32_t link_index,
                                      Program& program, CoreCoord worker,
                                      std::vector<std::uint32_t>& args);

/// Appends the same arguments for the link on which the straight route from `source` to
/// `destination` begins.
/// Errors   UsageError if there is no straight route, or a device is not in the mesh.
void append_fabric_connection_rt_args(const MeshSpec& mesh, std::uint32_t source,
                                      std::uint32_t destination, std::uint32_t link_index,
                                      Program& program, CoreCoord worker,
                                      std::vector<std::uint32_t>& args);

}  // namespace tessera
