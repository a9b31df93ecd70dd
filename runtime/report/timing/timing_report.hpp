// SPDX-License-Identifier: Apache-2.0
// Timed run in the form for reports. It is reduced launch by launch, so that the intervals of a
// large launch can be dropped before the next one is replayed. Times are millicycles of the device
// clock.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emu/timing/regime.hpp"
#include "runtime/report/expert_load.hpp"
#include "runtime/report/run_stages.hpp"
#include "runtime/report/step_bound.hpp"
#include "runtime/report/timing/ensemble.hpp"
#include "runtime/report/timing/focus.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/predicted_time.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"
#include "tessera/units.hpp"

namespace tessera::report {

/// Line of a kernel. The first line of a launch is "no line".
struct SourceLine {
    std::string file;
    std::uint32_t line = 0;
    friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

/// Time of all threads of a launch at a line.
struct LineTime {
    Millicycles busy = 0;
    Millicycles waiting = 0;
};

/// Text of a file that lines name.
struct SourceText {
    std::string file;  ///< name as in SourceLine
    std::string text;
};

/// Action that ended waits: a thread of LaunchReport::threads at a line, at a time.
struct PointCause {
    std::uint32_t thread = kNoThread;
    std::uint32_t line = 0;  ///< index into LaunchReport::lines
    Millicycles time = 0;
};

/// One drawn stretch of a thread. It starts at the end of the previous one.
struct TimelinePoint {
    Millicycles end = 0;
    Activity activity{};
    bool is_merged = false;          ///< several intervals; activity and line of the longest kind
    std::uint32_t line = 0;          ///< index into LaunchReport::lines
    std::uint32_t object = 0;        ///< Interval::object; for waits that are not merged
    std::uint32_t cause = kNoCause;  ///< index into LaunchReport::causes
};

struct ThreadReport {
    std::uint16_t device = 0;
    CoreCoord core;
    TimelineThread thread{};
    std::string kernel;
    std::array<Millicycles, kNumActivities> totals{};  ///< sum = makespan, exactly
    Millicycles finish = 0;                            ///< when its kernel returned
    Millicycles on_path = 0;                           ///< time of the critical path at this thread
    std::uint64_t num_intervals = 0;                   ///< before any were merged
    /// All intervals, with those shorter than `merged_below` merged; empty if
    /// LaunchReport::is_drawn is false for this thread.
    std::vector<TimelinePoint> points;
    Millicycles merged_below = 0;  ///< 0: none were merged
};

/// Work of a core in a launch, and the allocated part of its L1.
struct CoreReport {
    std::uint16_t device = 0;
    CoreCoord core;
    std::uint32_t l1_bytes = 0;
    std::vector<CbTrace> cbs;
    std::uint64_t tile_products = 0;
    std::uint64_t tiles_packed = 0;
    std::uint64_t bytes_read = 0;     ///< over both NoCs
    std::uint64_t bytes_written = 0;  ///< multicasts count once
    Millicycles ideal_math = 0;       ///< tile products × fidelity phases at the rate of the FPU
    Millicycles busy_math = 0;        ///< math thread, without inits and DST calls
    Millicycles begin = 0;            ///< when its first thread was told to start
    Millicycles finish = 0;           ///< when its last thread returned
    /// Time of all its threads by activity.
    std::array<Millicycles, kNumActivities> totals{};
};

/// Waits of one line for one kind of object, ended by one line, over all cores of the launch.
struct StallReport {
    Activity activity{};
    std::string object;  ///< "CB 0", "L1 address 0x8130", "DRAM", "L1 of a core", …
    TimelineThread waiter{};
    std::uint32_t waiter_line = 0;
    std::optional<TimelineThread> ender;  ///< none: the end of a transfer, or unknown
    std::uint32_t ender_line = 0;
    Millicycles total = 0;  ///< thread-time
    /// Part of `total` in which the ender was busy or bytes travelled. In the rest the ender itself
    /// waited and only passed the stall on.
    Millicycles direct = 0;
    std::uint64_t count = 0;
    /// Part of `direct` in which bytes travelled, by resource.
    std::array<Millicycles, kNumResourceKinds> transit{};
    /// Longest of these waits.
    std::uint16_t worst_device = 0;
    CoreCoord worst_core;
    Millicycles worst_begin = 0;
    Millicycles worst_end = 0;
    std::string worst_object;  ///< "DRAM bank 3", "L1 of (1,2)", …
    std::uint16_t ender_device = 0;
    CoreCoord ender_core;
};

/// Part of the critical path; `time` over all parts adds up to the makespan.
struct PathPart {
    std::optional<TimelineThread> thread;
    std::uint32_t line = 0;
    Activity activity{};
    ResourceKind resource{};
    Millicycles time = 0;
    std::uint64_t count = 0;
};

/// Stretch of a launch's critical path. It starts at the end of the previous one, the first at 0.
struct PathStretch {
    Millicycles end = 0;
    std::uint32_t thread = kNoThread;  ///< index into LaunchReport::threads
    std::uint32_t part = 0;            ///< index into LaunchReport::path
};

/// Pages of a CB over time: at each point, the largest fill until the next point.
struct CbSeries {
    std::uint32_t core = 0;  ///< index into LaunchReport::cores
    std::uint8_t cb = 0;
    std::uint32_t capacity = 0;
    double mean = 0;         ///< pages, over the makespan
    std::uint32_t most = 0;  ///< pages
    std::vector<std::pair<Millicycles, std::uint32_t>> points;
    Millicycles merged_below = 0;  ///< 0: every change is a point
};

/// Bytes between cores and DRAM banks over a part of a launch, as returned by bank_traffic().
struct BankTraffic {
    static constexpr std::uint32_t kSlices = 64;
    struct Device {
        std::uint16_t device = 0;
        std::vector<std::uint64_t> bytes;  ///< kSlices of bank 0, then of bank 1, …
    };
    Millicycles from = 0;  ///< start in the launch
    Millicycles to = 0;
    std::vector<Device> devices;
};

/// Work of a launch, with the machine's limits in its makespan.
struct WorkReport {
    std::uint32_t cores_given = 0;  ///< cores that had a kernel
    std::uint32_t cores_of_mesh = 0;
    /// Sum over the given cores: from the first start on their device to the end of its program.
    Millicycles given_time = 0;
    std::uint64_t tile_products = 0;
    Millicycles ideal_math = 0;  ///< over all cores
    Millicycles busy_math = 0;   ///< over all cores
    std::uint64_t dram_bytes = 0;
    std::uint64_t noc_bytes = 0;   ///< injected, both NoCs
    std::uint64_t link_bytes = 0;  ///< over mesh links, each hop
};

struct LaunchReport {
    std::string name;
    Millicycles start = 0;
    PredictedTime makespan;  ///< from its first start on any device to its last end on any
    /// Longest time on one device, from its start to its end there. Each device advances from
    /// launch to launch by itself, so this is less than the makespan.
    PredictedTime device_time;
    std::optional<Bound> bound;     ///< of device_time; none: the work is unknown, as of a trace
    Ensemble ensemble;              ///< of device_time
    timing::RegimeTimes regimes{};  ///< of the critical path
    std::uint64_t num_events = 0;
    WorkReport work;
    std::vector<SourceLine> lines;     ///< [0] is "no line"
    std::vector<LineTime> line_times;  ///< by line; empty without intervals
    std::vector<ThreadReport> threads;
    std::vector<CoreReport> cores;
    std::vector<PointCause> causes;
    std::vector<StallReport> stalls;  ///< by `direct`, largest first, bounded
    std::vector<PathPart> path;       ///< by time, largest first
    std::vector<PathStretch> path_stretches;
    std::vector<ResourceUse> resources;
    std::vector<CbSeries> cbs;
    BankTraffic banks;                      ///< traffic of the drawn part
    std::vector<Millicycles> device_start;  ///< from the launch's start; not in report.json
    std::vector<Millicycles> device_end;
    bool is_drawn_in_part = false;  ///< threads or CBs were omitted to limit the size
};

/// Peak rates of the machine, for all devices together; 0: unknown.
struct PeakRates {
    double flops_per_cycle = 0;  ///< FPUs of all worker cores at LoFi
    double dram_bytes_per_cycle = 0;
    double noc_bytes_per_cycle = 0;   ///< injected by all workers on one NoC, times two
    double link_bytes_per_cycle = 0;  ///< all mesh links, both directions
    double noc_link_rate = 0;         ///< one link between routers, bytes per cycle
    double mesh_link_rate = 0;        ///< one mesh link, one direction, bytes per cycle
    double dram_channel_rate = 0;     ///< one channel, bytes per cycle
    double vector_ops_per_cycle = 0;  ///< elements that the SFPUs of all worker cores change
    /// Bytes per cycle that a device receives over its links, by number of the device.
    std::vector<double> device_link_rates;
};

/// Part of the run's critical path whose price depends on constants without a published value.
struct AssumedShare {
    std::string name;  ///< result of bound_name
    Millicycles time = 0;
    std::vector<std::string> constants;  ///< paths of the assumed constants
};

/// Relative change of the makespan with one constant at an end of its range and all others as
/// stated: 0.02 is 2 % longer. It is 0 at an end that is the stated value.
struct ConstantEffect {
    std::string key;  ///< "timing.dram.read_latency"
    std::string low_value;
    std::string high_value;
    double at_low = 0;   ///< the end that is meant to make runs short
    double at_high = 0;  ///< the end that is meant to make them long
};

struct TimingReport {
    std::string run;
    ArchSpec arch;
    MeshSpec mesh;
    Hertz clock;  ///< clock of the cycles
    PredictedTime makespan;
    std::optional<Bound> bound;  ///< of the makespan: the device with the largest sum over launches
    Ensemble ensemble;           ///< of the makespan
    PeakRates peak;
    std::vector<LaunchReport> launches;
    /// Timing constants that the replays read, below `timing` ("noc.hop"); not in report.json.
    std::set<std::string, std::less<>> constants_read;
    std::vector<AssumedShare> assumed;      ///< result of assumed_shares, largest first
    std::vector<ConstantEffect> constants;  ///< largest first; empty: none was moved
    std::optional<ExpertLoad> moe;
    std::optional<RunStages> stages;
    std::vector<SourceText> sources;  ///< readable ones
    std::optional<Focus> focus;       ///< drawn part; none: as the budget allows
};

}  // namespace tessera::report
