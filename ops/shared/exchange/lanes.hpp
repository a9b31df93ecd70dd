// SPDX-License-Identifier: Apache-2.0
// Elements of schedules: the cores of a device, the part of each slice that one of them handles,
// and phases for the plans of all devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/shared/exchange/group.hpp"
#include "ops/shared/exchange/plan.hpp"
#include "ops/shared/exchange/schedules.hpp"

namespace tessera::ops::exchange {

/// Slices by stop of a walk, as the phases of plan.hpp take them.
using StopSlices = std::vector<std::vector<Slice>>;

/// One core of every device, and what it handles of each slice.
struct Lane {
    std::uint32_t share = 0;
    std::uint32_t shares = 1;
    bool is_backward = false;

    [[nodiscard]] Slice of(const Slice& slice) const { return share_of(slice, share, shares); }
    [[nodiscard]] std::vector<Slice> of(std::span<const Slice> slices) const;
    [[nodiscard]] Walk turned(const Walk& walk) const {
        return is_backward ? reversed(walk) : walk;
    }
};
/// `ways` for each link in turn. Both directions carry the whole slice, or half of it each.
enum class Halves : std::uint8_t { OneEachWay, AllBothWays };
[[nodiscard]] std::vector<Lane> lanes_of(const Exchange& exchange, Halves halves);

/// The plans of one lane while they are made.
class LanePlans {
public:
    LanePlans(const Exchange& exchange, GroupPlans& plans, std::size_t index, const Lane& lane);

    [[nodiscard]] const GroupGrid& grid() const { return grid_; }
    [[nodiscard]] const Lane& lane() const { return lane_; }
    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(grid_.devices.size());
    }
    [[nodiscard]] std::uint32_t position_of(std::uint32_t device) const;
    /// Returns the position of a device, row by row of the group.
    [[nodiscard]] std::uint32_t place_of(std::uint32_t device) const;
    [[nodiscard]] CorePlan& of(std::uint32_t device) { return plans_[position_of(device)][index_]; }

    /// Returns the group's rings and lines in the direction of the lane.
    [[nodiscard]] Walk ring() const { return lane_.turned(ring_walk(grid_)); }
    [[nodiscard]] Walk line() const { return lane_.turned(line_walk(grid_)); }
    [[nodiscard]] std::vector<Walk> rows() const;
    [[nodiscard]] std::vector<Walk> columns() const;

    /// Returns the slices, by position, of each stop itself; of its row of the group; of its
    /// column.
    [[nodiscard]] StopSlices own(const Walk& walk, std::span<const Slice> slices) const;
    [[nodiscard]] StopSlices of_rows(const Walk& walk, std::span<const Slice> slices) const;
    [[nodiscard]] StopSlices of_columns(const Walk& walk, std::span<const Slice> slices) const;

    /// Phases of all stops of a walk (plan.hpp); a walk of one device copies.
    void add_gather(const Walk& walk, const StopSlices& slices, Place own, bool stores_own);
    void add_reduce_scatter(const Walk& walk, const StopSlices& slices, Place own, Place sum);
    void add_reduce_chain(const Walk& walk, const Slice& slice, Place own, Place sum);
    void add_broadcast_chain(const Walk& walk, const Slice& slice, Place own, bool stores_own);
    /// Adds a copy of the device's own tensor.
    void add_copy(std::uint32_t device, const Slice& slice);
    /// Adds one step of two devices.
    void add_pair(std::uint32_t from, std::uint32_t to, const Step& sent, const Step& received,
                  bool sums);

private:
    template <typename Make>
    void add_to_each(const Walk& walk, Make make);

    const Exchange& exchange_;
    GroupPlans& plans_;
    std::size_t index_;
    Lane lane_;
    GroupGrid grid_;
};

/// Returns the plans of all lanes: `make` adds those of one of them.
template <typename Make>
[[nodiscard]] GroupPlans plans_of_lanes(const Exchange& exchange, std::span<const Lane> lanes,
                                        Make make) {
    GroupPlans plans(exchange.devices.size(), DevicePlans(lanes.size()));
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        LanePlans lane(exchange, plans, i, lanes[i]);
        make(lane);
    }
    return plans;
}

}  // namespace tessera::ops::exchange
