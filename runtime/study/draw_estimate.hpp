// SPDX-License-Identifier: Apache-2.0
// Times of a launch under draws of the timing constants, estimated from its critical path under the
// stated constants. An estimate takes a small part of a replay.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "emu/timing/state.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timed_run {

/// First-order estimates: each step of the critical path changes with its price, and the path stays
/// the path. A busy step changes as the sum of its thread's prices for that activity. A transit
/// changes as the constants that price its resource, weighted by their share of one page's time.
///
/// Only the width of an interval depends on these times; the expected time is a replay. On the
/// measurements of `tessera score`, the ends of intervals of 32 estimates and of 8 replays are 1 to
/// 3 % apart (docs/history/accuracy.md has the coverage of both).
class DrawEstimate {
public:
    /// `draws` are draws of `stated`. `arch` and `draws` outlive the object.
    DrawEstimate(const ArchSpec& arch, const TimingSpec& stated, std::span<const TimingSpec> draws);

    /// Makes the prices of a trace's names, which grow from launch to launch.
    void price(const Trace& trace);

    /// Returns, by draw, the launch's time divided by its time under the stated constants; 1 if the
    /// timeline has no critical path. Threads may share the object.
    /// Precondition   price() was called for the names of `launch`.
    [[nodiscard]] std::vector<double> factors(const LaunchTrace& launch,
                                              const LaunchTimeline& timeline) const;

private:
    /// Raises times to those for which the launch occupies its busiest resources.
    void raise_to_occupations(const LaunchTimeline& timeline, Activity direction,
                              std::vector<double>& times) const;
    const ArchSpec& arch_;
    TimingSpec stated_;
    std::span<const TimingSpec> draws_;
    std::vector<std::vector<double>> transits_;     ///< changes by activity and resource, then draw
    std::vector<std::vector<double>> occupations_;  ///< the same without latencies
    std::size_t num_names_ = 0;                     ///< for which `costs_` were made
    std::vector<timing::Costs> costs_;              ///< stated, then each draw
};

/// Returns times multiplied by a factor, rounded.
[[nodiscard]] std::vector<Millicycles> scaled(std::span<const Millicycles> times, double factor);

}  // namespace tessera::timed_run
