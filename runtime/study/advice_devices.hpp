// SPDX-License-Identifier: Apache-2.0
// Selects the devices that the advisor replays. On a mesh most devices wait for a busier one, so
// that one or two of them decide how long a launch and the run take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/timing/identical_devices.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::advise {

/// Devices of a launch that are replayed for a rule, if they are independent of each other.
enum class RuleDevices : std::uint8_t {
    /// The slowest device of the launch, and the one that ends last before devices meet. The time
    /// of each other device changes by the same share.
    Deciding,
    All,
};

/// Returns whether devices of the launch send each other data, so that all are one part.
[[nodiscard]] bool is_joint(const timing::LaunchPartition& partition);

/// Returns, by launch, the parts to replay; none of a joint launch, which is replayed as a whole.
/// `device_times` has the unedited times by launch and device.
/// Precondition   all arguments have one element for each launch.
[[nodiscard]] std::vector<std::vector<std::size_t>> parts_to_replay(
    std::span<const timing::LaunchPartition> partitions, const report::TimingReport& before,
    std::span<const std::vector<Millicycles>> device_times, RuleDevices devices);

/// Returns a copy of one part of a launch, for an edit.
[[nodiscard]] LaunchTrace launch_of(const LaunchTrace& launch, const timing::LaunchPart& part);

/// Returns the time of each device after a rule. `unedited` has the times by device before it,
/// `replayed` those of replayed devices after it, and less than 0 for the other devices.
[[nodiscard]] std::vector<Millicycles> times_after(std::span<const Millicycles> unedited,
                                                   std::span<const Millicycles> replayed);

}  // namespace tessera::advise
