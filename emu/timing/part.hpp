// SPDX-License-Identifier: Apache-2.0
// Parts of a launch that are replayed separately. Devices are independent unless they use the
// fabric, which is the only way to send data between them.
#pragma once

#include <span>
#include <vector>

#include "emu/timing/transport.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

struct LaunchPart {
    DeviceRange devices;
    std::span<const CoreTrace> cores;  ///< consecutive cores of LaunchTrace::cores
};

/// Returns one part for each device of a launch, or one for all devices if a thread uses the
/// fabric.
[[nodiscard]] std::vector<LaunchPart> parts_of(const LaunchTrace& launch,
                                               std::uint32_t num_devices);

/// Kernel thread behind a thread of the timeline.
struct ThreadSource {
    const CoreTrace* core = nullptr;
    const ThreadTrace* trace = nullptr;
    TimelineThread role{};
};
/// Returns the threads of a core in the order of LaunchTimeline::threads. A compute kernel is one
/// thread of the trace and three of the timeline: unpack, math and pack advance independently, and
/// each skips the events of the other two (engine.cpp).
[[nodiscard]] std::vector<ThreadSource> threads_of(const CoreTrace& core);

/// Joins the timelines of a launch's parts, each replayed as if it were alone. The critical path is
/// that of the first part that ends last, if parts have one.
[[nodiscard]] LaunchTimeline join(std::vector<LaunchTimeline> parts);

}  // namespace tessera::timing
