// SPDX-License-Identifier: Apache-2.0
// Leaves parts of a launch out of a replay that end too early to decide when the launch ends.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "emu/timing/identical_devices.hpp"
#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Decides by a replay of the same launch under other constants which parts are worth a replay. An
/// interval takes a replay per draw of constants, and on a mesh most devices wait for one that has
/// more to do: nine replays of 32 devices of a DeepSeek-V3-sized layer, whose routing is uneven,
/// take 49 s of a host's processor time in place of 164.
class EarlyParts {
public:
    /// `known_times` says by device how long the launch took there; empty: nothing is left out.
    /// `starts` says by device when it may begin now. Precondition   as many of them.
    EarlyParts(const LaunchPartition& partition, std::span<const Millicycles> known_times,
               std::span<const Millicycles> starts);

    [[nodiscard]] bool is_left_out(std::size_t part) const noexcept {
        return !is_left_out_.empty() && is_left_out_[part];
    }
    /// Gives each part that was left out a timeline with an end and nothing else: its known time is
    /// changed as that of the part which was last.
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
    std::size_t last_ = 0;           ///< the part that ends last by what is known
    std::vector<bool> is_left_out_;  ///< by part; empty: none
};

}  // namespace tessera::timing
