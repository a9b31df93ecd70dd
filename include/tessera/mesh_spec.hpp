// SPDX-License-Identifier: Apache-2.0
// Devices in rows × columns and the links between neighbours.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Links that join the ends of rows and columns. line: none. ring: those of the row of a 1×N mesh,
/// or of the column of an N×1 mesh. torus: those of every row and every column.
enum class Topology : std::uint8_t { Line, Ring, Torus };

/// Directions of the links of one device: columns grow to the east, rows to the south.
/// Values are those of tt-metal's eth_chan_directions.
enum class LinkDirection : std::uint8_t { East = 0, West = 1, North = 2, South = 3 };

/// Rows and columns of devices.
struct MeshShape {
    std::uint32_t rows = 1;
    std::uint32_t columns = 1;
    [[nodiscard]] constexpr std::uint32_t num_devices() const noexcept { return rows * columns; }
    friend constexpr bool operator==(const MeshShape&, const MeshShape&) = default;
};

/// Device ids are row-major: id = row * columns + column.
struct MeshSpec {
    MeshShape shape;
    Topology topology = Topology::Line;
    std::string device;  ///< name of the arch file that all devices share
};

}  // namespace tessera
