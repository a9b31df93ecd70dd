// SPDX-License-Identifier: Apache-2.0
// Divides a launch into parts that are replayed by themselves: devices send each other nothing but
// over the fabric.
#pragma once

#include <span>
#include <vector>

#include "emu/timing/transport.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

struct LaunchPart {
    DeviceRange devices;
    std::span<const CoreTrace> cores;  ///< of LaunchTrace::cores, in a row
};

/// Returns the devices of a launch one by one, or all together if a thread uses the fabric.
[[nodiscard]] std::vector<LaunchPart> parts_of(const LaunchTrace& launch,
                                               std::uint32_t num_devices);

/// Joins the timelines of a launch's parts, each replayed as if it were alone; without the critical
/// path.
[[nodiscard]] LaunchTimeline join(std::vector<LaunchTimeline> parts);

}  // namespace tessera::timing
