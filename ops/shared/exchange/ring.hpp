// SPDX-License-Identifier: Apache-2.0
// A closed walk over all devices of a mesh, along straight runs of links.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/mesh_links.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::ops::exchange {

/// One device's place in the ring.
struct RingPlace {
    std::uint32_t device = 0;
    LinkRoute to_next;
    LinkRoute to_previous;
};

/// Returns the ids of a mesh of `shape` in the order of make_ring; at least two.
[[nodiscard]] std::vector<std::uint32_t> ring_order(MeshShape shape);

/// Returns the shortest straight route.
/// Errors   UsageError if it takes more hops than a packet header holds.
/// Precondition   the devices share a row or column.
[[nodiscard]] LinkRoute ring_step(const MeshSpec& mesh, std::uint32_t from, std::uint32_t to);

/// Returns the devices in ring order, starting with device 0.
///
/// - 1×N and N×1: by id; on a line the closing step is a route of N−1 hops in the opposite
///   direction.
/// - R×C with an even side: a cycle of neighbours, one hop each. It runs along the first row, in
///   serpentines over the remaining rows without the first column, and back along the first column.
///   Rows and columns are swapped if only the columns are even.
/// - Both odd: the same walk, in which one step along the last row takes C−1 hops (one, on a
///   torus).
///
/// Preconditions   at least two devices.
/// Errors   UsageError if a step takes more hops than a packet header holds.
[[nodiscard]] std::vector<RingPlace> make_ring(const MeshSpec& mesh);

}  // namespace tessera::ops::exchange
