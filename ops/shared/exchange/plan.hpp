// SPDX-License-Identifier: Apache-2.0
// Plan of each core of a collective, made by the host and executed by the kernels.
//
// A core communicates with the cores at its own coordinate on other devices. Its plan is a list of
// phases. In a phase it sends to at most one neighbour and receives from at most one. A step
// handles a slice: one contiguous range of bytes of a tensor whose pages are counted contiguously,
// padding included.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ops/shared/exchange/kernels/args.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::ops::exchange {

/// Bytes of a slice in the tensor that is read and in the one that is written.
struct Slice {
    std::uint32_t read_begin = 0;
    std::uint32_t store_begin = 0;
    std::uint32_t bytes = 0;
};

struct Step {
    bool receives = false;
    bool sends = false;
    std::optional<Place> reads = std::nullopt;
    std::optional<Place> stores = std::nullopt;
    Slice slice;
};

/// Returns the route of packets to another device: straight in one direction. If that is not
/// possible it has 0 hops, and the mesh routes along the column, then along the row.
[[nodiscard]] LinkRoute reach_of(const MeshSpec& mesh, std::uint32_t from, std::uint32_t to);

/// The device at the other end of a phase's packets, and the word there that counts credits.
struct Neighbour {
    std::uint32_t device = 0;
    LinkRoute route;  ///< route returned by reach_of
    /// For the next device: the local word that it increments as credit. For the previous device:
    /// that device's word. Each device to which a core sends has a separate word, because it may be
    /// phases ahead.
    std::uint32_t credit = 0;
};

/// Steps with the same neighbours. A step adds its own and received blocks (`sums`: received + own,
/// bfloat16 tiles), or forwards them unchanged; then it either reads or receives.
struct Phase {
    bool sums = false;
    std::optional<Neighbour> next = std::nullopt;
    std::optional<Neighbour> previous = std::nullopt;  ///< the next of that one is this device
    std::vector<Step> steps;
};
using CorePlan = std::vector<Phase>;

/// Returns the part `index` of `count` of each slice, in whole units: [n·i/c, n·(i+1)/c) of its n
/// units.
[[nodiscard]] Slice share_of(const Slice& slice, std::uint32_t index, std::uint32_t count);

/// Devices one after the other.
struct Walk {
    std::vector<std::uint32_t> devices;  ///< ids
    bool is_closed = false;              ///< the last one's next is the first

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(devices.size()); }
};
/// Returns the same devices in the opposite direction.
[[nodiscard]] Walk reversed(const Walk& walk);

/// One device's place on a walk.
struct Stop {
    const MeshSpec& mesh;
    const Walk& walk;
    std::uint32_t index = 0;
};

/// Slices by the device of the walk that they belong to: the one that has them when a gather
/// begins, or when a scatter ends.
using SlicesByStop = std::span<const std::vector<Slice>>;

/// Returns the phase in which every device sends its own slices, then those of the previous device,
/// and so on. At the end each device has all slices (closed), or all from before it (open).
/// Order   of a ring: slice s travels from stop s on, n − 1 steps.
[[nodiscard]] Phase gather(const Stop& stop, SlicesByStop slices, Place own, bool stores_own);

/// Returns the phase in which slice s is summed over the ring's n devices from stop s + 1 on and is
/// complete at stop s: ((x_(s+1) + x_(s+2)) + …) + x_s.
/// Precondition   the walk is closed and has at least two devices.
[[nodiscard]] Phase reduce_scatter(const Stop& stop, SlicesByStop slices, Place own, Place sum);

/// Returns the phase in which all slices are summed along an open walk: ((x_0 + x_1) + …) +
/// x_(n−1), full at its end.
[[nodiscard]] Phase reduce_chain(const Stop& stop, std::span<const Slice> slices, Place own,
                                 Place sum);
/// Returns the phase in which all slices of the first device of an open walk reach all others.
[[nodiscard]] Phase broadcast_chain(const Stop& stop, std::span<const Slice> slices, Place own,
                                    bool stores_own);

/// Plans of all cores of each device of a group, and the ids of these devices.
using DevicePlans = std::vector<CorePlan>;
using GroupPlans = std::vector<DevicePlans>;

/// Numbers the words of credit: of each core, from 0 on in the order in which it first sends to
/// the devices.
/// @returns how many a core has at most.
std::uint32_t number_credits(GroupPlans& plans, std::span<const std::uint32_t> devices);

/// Returns the words that the kernels read (kernels/plan.hpp). `connections` holds the directions
/// that the core has connections for, in their order.
[[nodiscard]] std::vector<std::uint32_t> words_of(const CorePlan& plan,
                                                  std::span<const LinkDirection> connections);
/// Returns the first directions of the plan's routes, without duplicates.
[[nodiscard]] std::vector<LinkDirection> connections_of(const CorePlan& plan);

}  // namespace tessera::ops::exchange
