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

/// Returns the devices in ring order, from device 0 on.
///
/// 1×N and N×1: by id; on a line the closing step is a route of N−1 hops the other way. R×C with
/// an even side: a cycle of neighbours, one hop each: along the first row, back and forth over the
/// other rows without the first column, home along the first column (rows and columns change places
/// if only the columns are even). Both odd: the same walk, in which one step along the last row
/// takes C−1 hops (one, on a torus).
///
/// Preconditions   at least two devices.
/// Errors   UsageError if a step takes more hops than a packet header holds.
[[nodiscard]] std::vector<RingPlace> make_ring(const MeshSpec& mesh);

}  // namespace tessera::ops::exchange
