// SPDX-License-Identifier: Apache-2.0
// Skips parts of a launch that end before 90 % of the launch under known constants: they cannot
// decide when the launch ends.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "emu/timing/identical_devices.hpp"
#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Selects the parts to replay from the times of the same launch under other constants. An interval
/// takes one replay for each draw of the constants, and on a mesh most devices wait for a busier
/// one. Nine replays of 32 devices of a DeepSeek-V3-sized layer, whose routing is uneven, take 49 s
/// of processor time (164 s without this).
class EarlyParts {
public:
    /// `known_times` is the known time of the launch by device; if it is empty no part is skipped.
    /// `starts` is by device when it may begin now.
    /// Precondition   both have the same size.
    EarlyParts(const LaunchPartition& partition, std::span<const Millicycles> known_times,
               std::span<const Millicycles> starts);

    [[nodiscard]] bool is_left_out(std::size_t part) const noexcept {
        return !is_left_out_.empty() && is_left_out_[part];
    }
    /// Gives each skipped part a timeline with an end and nothing else: its known time, scaled as
    /// the time of the part that ends last has changed.
    void fill(std::vector<LaunchTimeline>& timelines) const;

private:
    [[nodiscard]] std::size_t device_of(std::size_t part) const noexcept {
        return partition_.parts[part].devices.first;
    }
    [[nodiscard]] Millicycles known_end(std::size_t part) const noexcept {
        return starts_[device_of(part)] + known_times_[device_of(part)];
    }

    const LaunchPartition& partition_;
    std::span<const Millicycles> known_times_;
    std::span<const Millicycles> starts_;
    std::size_t last_ = 0;           ///< part that ends last by the known times
    std::vector<bool> is_left_out_;  ///< by part; empty: none
};

}  // namespace tessera::timing
