// SPDX-License-Identifier: Apache-2.0
// When the kernel threads of a launch did what a trace says: predicted by emu/timing, read by
// reports. Time closes: the intervals of each thread cover [0, makespan] without gap or overlap.
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

/// A thread as the chip has it: the compute kernel of a core is three of them.
enum class TimelineThread : std::uint8_t { Reader, Writer, Unpack, Math, Pack };

/// What a thread does at a moment: what it is busy with, or what it waits for.
enum class Activity : std::uint8_t {
    NotStarted,  ///< before the launch message reached the core
    // Busy
    Start,           ///< firmware between the launch message and kernel_main: CB set-up
    ReadIssue,       ///< commands of reads
    WriteIssue,      ///< commands of writes
    MulticastIssue,  ///< commands of multicasts
    SemaphoreIssue,  ///< commands of words and atomics
    BarrierPoll,     ///< a barrier that finds everything done
    CbCall,          ///< the four CB calls, as far as they do not wait
    FabricIssue,     ///< commands to the fabric's sender
    Instructions,    ///< the kernel's own: loops, address arithmetic, loads and stores
    Unpack,          ///< operands from L1 to source registers
    Matmul,          ///< FPU: tile products
    Eltwise,         ///< FPU: element-wise, reduce, transpose, copy to DST
    Sfpu,            ///< vector unit on DST
    Pack,            ///< DST to L1
    UnitInit,        ///< init and reconfigure calls
    DstCall,         ///< acquire, commit, wait, release, as far as they do not wait
    Zone,            ///< profiler marks of the kernel
    // Waits
    WaitCbData,     ///< object: CB
    WaitCbSpace,    ///< object: CB
    WaitNocRead,    ///< object: where the last outstanding read reads from
    WaitNocWrite,   ///< object: where the last outstanding write goes to
    WaitNocSlot,    ///< issue held up by the NoC interface: command buffer or outstanding limit
    WaitSemaphore,  ///< object: L1 address
    WaitDst,        ///< half of DST held by the other side of math and pack
    WaitSource,     ///< source registers held by (or not yet given to) the other of unpack, math
    WaitFabric,     ///< slot of the sender to a mesh link
    Finished,       ///< the kernel has returned
};
inline constexpr std::size_t kNumActivities = static_cast<std::size_t>(Activity::Finished) + 1;

[[nodiscard]] constexpr bool is_wait(Activity activity) noexcept {
    return activity >= Activity::WaitCbData && activity <= Activity::WaitFabric;
}
[[nodiscard]] constexpr bool is_busy(Activity activity) noexcept {
    return activity >= Activity::Start && activity <= Activity::Zone;
}
/// "wait CB data", "matmul", …: as reports print it.
[[nodiscard]] std::string_view name_of(Activity activity) noexcept;
[[nodiscard]] std::string_view name_of(TimelineThread thread) noexcept;

/// A shared thing that transfers pass: what a wait for one is spent on.
enum class ResourceKind : std::uint8_t {
    None,
    NocInjection,  ///< from L1 or DRAM port into the network
    NocLink,
    NocEjection,
    NocLatency,  ///< hops, interfaces, and the request of a read
    Dram,        ///< bank or channel
    MeshLink,
    MeshLatency,
};
inline constexpr std::size_t kNumResourceKinds =
    static_cast<std::size_t>(ResourceKind::MeshLatency) + 1;
[[nodiscard]] std::string_view name_of(ResourceKind kind) noexcept;

inline constexpr std::uint32_t kNoThread = 0xFFFFFFFFU;
inline constexpr std::uint32_t kNoCause = 0xFFFFFFFFU;

/// What ended a wait.
struct WaitCause {
    std::uint32_t thread = kNoThread;  ///< index into LaunchTimeline::threads: who acted
    std::uint16_t site = 0;            ///< of that thread: its line
    Millicycles time = 0;              ///< when it acted; never later than the wait's end
    static constexpr std::uint32_t kMost = 0xFFFFFFFFU;
    /// Between that act and the wait's end, where something travelled: time by resource kind,
    /// adding up to `end of wait − time`. kMost stands for as much or more, up to that sum.
    std::array<std::uint32_t, kNumResourceKinds> transit{};
};

/// One stretch of one thread. It begins where the one before ends; the first begins at 0.
struct Interval {
    Millicycles end = 0;
    std::uint32_t cause = kNoCause;  ///< of waits: index into LaunchTimeline::causes
    std::uint32_t object = 0;        ///< of waits: CB index, L1 address, NocPlace or channel
    std::uint16_t site = 0;          ///< index into ThreadTimeline::sites; 0 is "no line"
    Activity activity{};
};

struct ThreadTimeline {
    std::uint16_t device = 0;
    CoreCoord core;
    TimelineThread thread{};
    std::uint32_t kernel = 0;  ///< index into Trace::names
    std::vector<TraceSite> sites;
    std::vector<Interval> intervals;
    std::array<Millicycles, kNumActivities> totals{};  ///< sum = makespan, exactly
};

/// One zone of a kernel's author, as one thread ran it once. On a compute kernel the zone is
/// marked by each of unpack, math and pack.
struct ZoneSpan {
    std::uint32_t thread = 0;  ///< index into LaunchTimeline::threads
    std::uint32_t name = 0;    ///< index into Trace::names
    Millicycles begin = 0;
    Millicycles end = 0;
};

/// Pages in a CB over time: every change, in order of time.
struct CbLevel {
    std::uint32_t core = 0;  ///< index into LaunchTrace::cores
    std::uint8_t cb = 0;
    std::vector<std::pair<Millicycles, std::uint32_t>> pages;  ///< (time, pages held from then on)
};

/// A NoC link, port, DRAM bank or mesh link, and how long it was occupied.
struct ResourceUse {
    ResourceKind kind{};
    std::uint16_t device = 0;
    std::uint8_t noc = 0;  ///< of NoC resources
    CoreCoord node;        ///< physical NoC 0 node (links: the node it leaves); DRAM: {bank, 0}
    std::uint8_t direction = 0;  ///< links: 0 = x, 1 = y; mesh links: LinkDirection
    Millicycles busy = 0;
    std::uint64_t bytes = 0;
};

/// A stretch of the critical path: from `begin` to `end` the makespan was decided by this.
struct PathStep {
    Millicycles begin = 0;
    Millicycles end = 0;
    std::uint32_t thread = kNoThread;  ///< who was at it, or issued what travelled
    std::uint16_t site = 0;
    Activity activity{};      ///< busy kinds, NotStarted, or the wait that a transit fills
    ResourceKind resource{};  ///< of transits
};

struct LaunchTimeline {
    std::string name;
    Millicycles start = 0;     ///< in the run, when the launch's first device was told to begin
    Millicycles makespan = 0;  ///< from then until the last thread of all devices has finished
    std::vector<ThreadTimeline> threads;  ///< by (device, y, x, thread)
    std::vector<WaitCause> causes;
    std::vector<ZoneSpan> zones;            ///< by (thread, begin)
    std::vector<CbLevel> cb_levels;         ///< only if asked for
    std::vector<ResourceUse> resources;     ///< those that were used, sorted
    std::vector<PathStep> critical_path;    ///< from 0 to makespan without gap, in order
    std::vector<Millicycles> device_start;  ///< by device of the mesh: when its program could begin
    std::vector<Millicycles> device_end;    ///< by device of the mesh: when its program was done
    std::uint64_t num_events = 0;           ///< trace events replayed, runs counted once
};

/// How long the launch takes each device of the mesh, from its start there to its end there.
[[nodiscard]] inline std::vector<Millicycles> device_times(const LaunchTimeline& timeline) {
    std::vector<Millicycles> times = timeline.device_end;
    for (std::size_t device = 0; device < times.size(); ++device) {
        const bool has_start = device < timeline.device_start.size();
        times[device] -= has_start ? timeline.device_start[device] : 0;
    }
    return times;
}

/// The longest of device_times(). Devices begin and end apart, so this is at most the makespan.
[[nodiscard]] inline Millicycles device_time(const LaunchTimeline& timeline) {
    Millicycles longest = 0;
    for (const Millicycles time : device_times(timeline)) {
        longest = std::max(longest, time);
    }
    return longest;
}

/// The launches of a run one after the other, with the gaps that dispatch leaves between them.
struct RunTimeline {
    std::vector<LaunchTimeline> launches;
    Millicycles makespan = 0;  ///< of the whole run
};

}  // namespace tessera
