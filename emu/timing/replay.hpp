// SPDX-License-Identifier: Apache-2.0
// Predicts the time of a launch: a pure function of its trace and the machine, in integers, and the
// same for the same arguments on any host and at any number of its threads, which replay devices
// that send each other nothing side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

struct ReplayCache;
struct LaunchPartition;

struct Machine {
    const ArchSpec& arch;
    const TimingSpec& timing;
    const MeshSpec& mesh;
};

/// What a replay keeps beside the totals, zones and resources, which it always gives.
enum class Keep : std::uint8_t {
    Totals,        ///< nothing
    CriticalPath,  ///< the critical path alone, in memory that does not grow with the launch
    Intervals,     ///< that, ThreadTimeline::intervals and LaunchTimeline::causes
};

struct ReplayOptions {
    Keep keeps = Keep::Intervals;
    bool keeps_cb_levels = false;
    /// When each device of the mesh may begin, from the launch's start; empty: all at 0.
    std::span<const Millicycles> device_start;
    /// How long the launch takes each device of the mesh under other constants. Devices that by
    /// that end too early to decide when the launch ends are then left out (EarlyParts): of them
    /// the timeline has an end, no threads and no resources. Empty: all are replayed. Precondition
    /// as many as `device_start`.
    std::span<const Millicycles> known_times;
    /// Parts of the launch before under the same machine and options: read, and filled anew.
    ReplayCache* cache = nullptr;
    /// Of the random delays of cores at their start (dispatch.start_spread).
    std::uint64_t start_seed = 0;
    /// How many causes a replay that keeps the critical path alone collects before it prunes them.
    std::size_t most_causes = std::size_t{1} << 20U;
    /// The launch's partition, if it is known; used if it is of a mesh of so many devices.
    const LaunchPartition* partition = nullptr;
};

/// Replays one launch.
/// Errors   UsageError if the trace does not fit the machine (a core, bank or device that it does
///          not have), naming what is missing; InternalError naming the blocked threads with their
///          kernels and lines if the trace cannot be replayed to its end.
[[nodiscard]] LaunchTimeline replay(const Trace& trace, const LaunchTrace& launch,
                                    const Machine& machine, const ReplayOptions& options = {});

}  // namespace tessera::timing
