// SPDX-License-Identifier: Apache-2.0
// Predicted times of a launch's kernel threads: computed by emu/timing, read by reports. The
// intervals of each thread cover [0, makespan] without gap or overlap.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/core_coord.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// Thousandths of a cycle of the device clock.
using Millicycles = std::int64_t;
inline constexpr Millicycles kMillicyclesPerCycle = 1000;

/// Thread of a core on the chip, where the compute kernel runs as three threads.
enum class TimelineThread : std::uint8_t { Reader, Writer, Unpack, Math, Pack };

/// Activity of a thread during an interval: a kind of work, or a kind of wait.
enum class Activity : std::uint8_t {
    NotStarted,  ///< before the launch message reached the core
    // Busy
    Start,           ///< firmware between the launch message and kernel_main: CB set-up
    ReadIssue,       ///< commands of reads
    WriteIssue,      ///< commands of writes
    MulticastIssue,  ///< commands of multicasts
    SemaphoreIssue,  ///< commands of words and atomics
    BarrierPoll,     ///< a barrier whose transfers are all complete
    CbCall,          ///< the four CB calls, without their waits
    FabricIssue,     ///< commands to the fabric's sender
    Instructions,    ///< the kernel's own code: loops, address arithmetic, loads, stores
    Unpack,          ///< operands from L1 to source registers
    Matmul,          ///< FPU: tile products
    Eltwise,         ///< FPU: element-wise, reduce, transpose, copy to DST
    Sfpu,            ///< vector unit on DST
    Pack,            ///< DST to L1
    UnitInit,        ///< init and reconfigure calls
    DstCall,         ///< acquire, commit, wait, release, without their waits
    Zone,            ///< profiler marks of the kernel
    // Waits
    WaitCbData,     ///< wait in cb_wait_front; object: CB
    WaitCbSpace,    ///< wait in cb_reserve_back; object: CB
    WaitNocRead,    ///< object: source of the last outstanding read
    WaitNocWrite,   ///< object: destination of the last outstanding write
    WaitNocSlot,    ///< wait for a NoC command buffer, or for its limit of outstanding transfers
    WaitSemaphore,  ///< wait on a semaphore; object: L1 address
    WaitDst,        ///< wait for the half of DST that math or pack holds
    WaitSource,     ///< wait for source registers that unpack or math holds
    WaitFabric,     ///< wait for a slot of a mesh link's sender
    Finished,       ///< the kernel has returned
};
inline constexpr std::size_t kNumActivities = static_cast<std::size_t>(Activity::Finished) + 1;

/// Returns whether the thread waits for another thread or a transfer.
[[nodiscard]] constexpr bool is_wait(Activity activity) noexcept {
    return activity >= Activity::WaitCbData && activity <= Activity::WaitFabric;
}
/// Returns whether the thread does work of its own.
[[nodiscard]] constexpr bool is_busy(Activity activity) noexcept {
    return activity >= Activity::Start && activity <= Activity::Zone;
}
/// Returns the name as reports print it: "wait CB data", "matmul", …
[[nodiscard]] std::string_view name_of(Activity activity) noexcept;
/// Returns "reader", "writer", "unpack", "math" or "pack".
[[nodiscard]] std::string_view name_of(TimelineThread thread) noexcept;

/// Kind of shared resource that transfers use. Reports divide the time of transfers by it.
enum class ResourceKind : std::uint8_t {
    None,
    NocInjection,  ///< transfer from L1 or a DRAM port into the network
    NocLink,
    NocEjection,
    NocLatency,  ///< hops, interfaces, and the request of a read
    Dram,        ///< bank or channel
    MeshLink,
    MeshLatency,
};
inline constexpr std::size_t kNumResourceKinds =
    static_cast<std::size_t>(ResourceKind::MeshLatency) + 1;
/// Returns the name of a resource kind as reports print it.
[[nodiscard]] std::string_view name_of(ResourceKind kind) noexcept;

inline constexpr std::uint32_t kNoThread = 0xFFFFFFFFU;
inline constexpr std::uint32_t kNoCause = 0xFFFFFFFFU;

/// The event of another thread, or of the same thread's transfer, that ended a wait.
struct WaitCause {
    std::uint32_t thread = kNoThread;  ///< index into LaunchTimeline::threads
    std::uint16_t site = 0;            ///< line of that event, in that thread's sites
    Millicycles time = 0;              ///< time of that event; at most the wait's end
    static constexpr std::uint32_t kMost = 0xFFFFFFFFU;
    /// Time of a transfer from that event to the wait's end, by resource kind. The sum is
    /// `end of wait − time`. An element of kMost means kMost or more.
    std::array<std::uint32_t, kNumResourceKinds> transit{};
};

/// Interval of one thread with one activity. It begins at the end of the interval before; the first
/// begins at 0.
struct Interval {
    Millicycles end = 0;
    std::uint32_t cause = kNoCause;  ///< waits: index into LaunchTimeline::causes
    std::uint32_t object = 0;        ///< waits: CB index, L1 address, NocPlace or channel
    std::uint16_t site = 0;          ///< index into ThreadTimeline::sites; 0 is "no line"
    Activity activity{};
};

/// Intervals and totals of one thread in one launch.
struct ThreadTimeline {
    std::uint16_t device = 0;
    CoreCoord core;
    TimelineThread thread{};
    std::uint32_t kernel = 0;  ///< index into Trace::names
    std::vector<TraceSite> sites;
    std::vector<Interval> intervals;
    std::array<Millicycles, kNumActivities> totals{};  ///< sum = makespan, exactly
};

/// One execution of a profiler zone by one thread. Each of unpack, math and pack marks the zones of
/// a compute kernel.
struct ZoneSpan {
    std::uint32_t thread = 0;  ///< index into LaunchTimeline::threads
    std::uint32_t name = 0;    ///< index into Trace::names
    Millicycles begin = 0;
    Millicycles end = 0;
};

/// Number of pages in a CB over time: every change, in order of time.
struct CbLevel {
    std::uint32_t core = 0;  ///< index into LaunchTrace::cores
    std::uint8_t cb = 0;
    std::vector<std::pair<Millicycles, std::uint32_t>> pages;  ///< (time, pages from then on)
};

/// Occupation of a NoC link, port, DRAM bank or mesh link.
struct ResourceUse {
    ResourceKind kind{};
    std::uint16_t device = 0;
    std::uint8_t noc = 0;        ///< NoC resources only
    CoreCoord node;              ///< physical NoC 0 node (links: where it starts); DRAM: {bank, 0}
    std::uint8_t direction = 0;  ///< links: 0 = x, 1 = y; mesh links: LinkDirection
    Millicycles busy = 0;
    std::uint64_t bytes = 0;
};

/// Part of the critical path: from `begin` to `end` this activity determined the makespan.
struct PathStep {
    Millicycles begin = 0;
    Millicycles end = 0;
    std::uint32_t thread = kNoThread;  ///< thread that was active, or that issued the transfer
    std::uint16_t site = 0;
    Activity activity{};      ///< busy kinds, NotStarted, or the wait for a transfer
    ResourceKind resource{};  ///< transfers only
};

/// Predicted times of one launch. Times are counted from its start unless stated otherwise.
struct LaunchTimeline {
    std::string name;
    Millicycles start = 0;     ///< time in the run of the go signal of the launch's first device
    Millicycles makespan = 0;  ///< time from `start` to the end of the last thread of all devices
    std::vector<ThreadTimeline> threads;  ///< by (device, y, x, thread)
    std::vector<WaitCause> causes;
    std::vector<ZoneSpan> zones;            ///< by (thread, begin)
    std::vector<CbLevel> cb_levels;         ///< only with ReplayOptions::keeps_cb_levels
    std::vector<ResourceUse> resources;     ///< resources that were used, sorted
    std::vector<PathStep> critical_path;    ///< steps from 0 to makespan without gap, in order
    std::vector<Millicycles> device_start;  ///< by device of the mesh: when its program may begin
    std::vector<Millicycles> device_end;    ///< by device of the mesh: when its program has ended
    std::uint64_t num_events = 0;           ///< trace events replayed; a merged run counts once
};

/// Returns the time of the launch on each device of the mesh, from the device's start to its end.
[[nodiscard]] inline std::vector<Millicycles> device_times(const LaunchTimeline& timeline) {
    std::vector<Millicycles> times = timeline.device_end;
    for (std::size_t device = 0; device < times.size(); ++device) {
        const bool has_start = device < timeline.device_start.size();
        times[device] -= has_start ? timeline.device_start[device] : 0;
    }
    return times;
}

/// Returns the longest of device_times(). It is at most the makespan, as devices start at different
/// times.
[[nodiscard]] inline Millicycles device_time(const LaunchTimeline& timeline) {
    Millicycles longest = 0;
    for (const Millicycles time : device_times(timeline)) {
        longest = std::max(longest, time);
    }
    return longest;
}

/// Timelines of a run's launches, in order. Dispatch leaves gaps between them.
struct RunTimeline {
    std::vector<LaunchTimeline> launches;
    Millicycles makespan = 0;  ///< time of the whole run
};

}  // namespace tessera
