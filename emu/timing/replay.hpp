// SPDX-License-Identifier: Apache-2.0
// Prediction of a launch's time: a pure function of its trace and the machine, in integers. The
// result is the same on any host and with any number of host threads, which replay independent
// devices concurrently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera {
struct TimingSpec;
}

namespace tessera::timing {

struct ReplayCache;
struct LaunchPartition;

struct Machine {
    const ArchSpec& arch;
    const TimingSpec& timing;
    const MeshSpec& mesh;
};

/// Data that a replay keeps in addition to totals, zones and resources.
enum class Keep : std::uint8_t {
    Totals,        ///< none
    CriticalPath,  ///< critical path alone, in memory that does not grow with the launch
    Intervals,     ///< critical path, ThreadTimeline::intervals and LaunchTimeline::causes
};

/// Called for each part that is replayed, from any host thread. The numbers in `timeline` are those
/// of the part: its first thread is 0. A part of one device begins at 0.
using OnPart = std::function<void(std::size_t part, const LaunchTimeline& timeline)>;

struct ReplayOptions {
    Keep keeps = Keep::Intervals;
    bool keeps_cb_levels = false;
    /// By device: when it may begin, from the launch's start. Empty: all begin at 0.
    std::span<const Millicycles> device_start;
    /// By device: time of the launch under other constants. Devices that end too early by these
    /// times to decide when the launch ends are skipped (EarlyParts): the timeline has their end, but
    /// neither their threads nor their resources. Empty: all devices are replayed.
    /// Precondition   as many as `device_start`.
    std::span<const Millicycles> known_times;
    /// Parts of the previous launch under the same machine and options: read, then replaced.
    ReplayCache* cache = nullptr;
    /// Seed of the random delays of cores at their start (dispatch.start_spread).
    std::uint64_t start_seed = 0;
    /// Number of causes at which a replay with Keep::CriticalPath prunes first.
    std::size_t most_causes = std::size_t{1} << 20U;
    /// Called before the intervals and causes of a part are dropped; the joined timeline has none,
    /// but it has the critical path. Empty: intervals are kept until the caller drops the timeline,
    /// once for each device. A launch of 32 devices with 40 million events takes 10 GB then.
    /// Precondition   `keeps` is Keep::Intervals.
    OnPart on_part;
    /// Partition of the launch, if it is known. Ignored if its mesh has another number of devices.
    const LaunchPartition* partition = nullptr;
};

/// Replays one launch.
/// Errors   UsageError if the trace does not fit the machine (a core, bank or device that it does
///          not have), naming what is missing; InternalError naming the blocked threads with their
///          kernels and lines if the trace cannot be replayed to its end.
[[nodiscard]] LaunchTimeline replay(const Trace& trace, const LaunchTrace& launch,
                                    const Machine& machine, const ReplayOptions& options = {});

/// Replays parts of a launch before it is known when their devices may begin. Adds their timelines,
/// which begin at 0, to `options.cache`, from which the replay of the launch takes them. Adds none if
/// a timeline cannot be shifted, because the launch latency is 0.
/// Preconditions   each part is one device and its own representative; `options` has the partition,
///                 the cache, and no device_start.
/// Errors   as replay().
void replay_ahead(const Trace& trace, const LaunchTrace& launch, const Machine& machine,
                  const ReplayOptions& options, std::span<const std::size_t> parts);

}  // namespace tessera::timing
