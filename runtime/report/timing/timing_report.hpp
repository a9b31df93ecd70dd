// SPDX-License-Identifier: Apache-2.0
// A timed run as its reports need it: reduced launch by launch, so that the intervals of a large
// launch can be dropped before the next one is replayed. Times are millicycles of the device clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emu/timing/regime.hpp"
#include "runtime/report/expert_load.hpp"
#include "runtime/report/run_stages.hpp"
#include "runtime/report/timing/ensemble.hpp"
#include "runtime/report/timing/focus.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/predicted_time.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"
#include "tessera/units.hpp"

namespace tessera::report {

/// A line of a kernel. The first of a launch is "no line".
struct SourceLine {
    std::string file;
    std::uint32_t line = 0;
    friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

/// What all threads of a launch did at a line.
struct LineTime {
    Millicycles busy = 0;
    Millicycles waiting = 0;
};

/// The text of a file that lines name.
struct SourceText {
    std::string file;  ///< as SourceLine has it
    std::string text;
};

/// Who acted, to end waits: a thread of LaunchReport::threads at a line, at a time.
struct PointCause {
    std::uint32_t thread = kNoThread;
    std::uint32_t line = 0;  ///< index into LaunchReport::lines
    Millicycles time = 0;
};

/// One stretch of a thread as drawn. It begins where the one before ends.
struct TimelinePoint {
    Millicycles end = 0;
    Activity activity{};
    bool is_merged = false;          ///< several intervals; activity and line of the longest kind
    std::uint32_t line = 0;          ///< index into LaunchReport::lines
    std::uint32_t object = 0;        ///< as Interval::object; of waits that are not merged
    std::uint32_t cause = kNoCause;  ///< index into LaunchReport::causes
};

struct ThreadReport {
    std::uint16_t device = 0;
    CoreCoord core;
    TimelineThread thread{};
    std::string kernel;
    std::array<Millicycles, kNumActivities> totals{};  ///< sum = makespan, exactly
    Millicycles finish = 0;                            ///< when its kernel returned
    Millicycles on_path = 0;          ///< of the critical path, spent at this thread
    std::uint64_t num_intervals = 0;  ///< before any were merged
    /// All intervals, or with those shorter than `merged_below` merged; empty where
    /// LaunchReport::is_drawn says that this thread is not drawn.
    std::vector<TimelinePoint> points;
    Millicycles merged_below = 0;  ///< 0: none were merged
};

/// What a core did in a launch, and what of its L1 was taken.
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
    Millicycles busy_math = 0;        ///< of the math thread, inits and DST calls left out
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
    std::optional<TimelineThread> ender;  ///< none: the end of what travelled, or not known
    std::uint32_t ender_line = 0;
    Millicycles total = 0;  ///< thread-time
    /// Of `total`, what was spent while the ender was busy or bytes travelled; in the rest the
    /// ender waited itself, and the stall is only passed on.
    Millicycles direct = 0;
    std::uint64_t count = 0;
    /// Of `direct`, what bytes travelled, by resource.
    std::array<Millicycles, kNumResourceKinds> transit{};
    /// The longest of them.
    std::uint16_t worst_device = 0;
    CoreCoord worst_core;
    Millicycles worst_begin = 0;
    Millicycles worst_end = 0;
    std::string worst_object;  ///< "DRAM bank 3", "L1 of (1,2)", …
    std::uint16_t ender_device = 0;
    CoreCoord ender_core;
};

/// A part of the critical path: `time` adds up to the makespan over all parts.
struct PathPart {
    std::optional<TimelineThread> thread;
    std::uint32_t line = 0;
    Activity activity{};
    ResourceKind resource{};
    Millicycles time = 0;
    std::uint64_t count = 0;
};

/// A stretch of a launch's critical path. It begins where the one before ends, the first at 0.
struct PathStretch {
    Millicycles end = 0;
    std::uint32_t thread = kNoThread;  ///< index into LaunchReport::threads
    std::uint32_t part = 0;            ///< index into LaunchReport::path
};

/// Pages of a CB over time: at each point, the most that were held until the next.
struct CbSeries {
    std::uint32_t core = 0;  ///< index into LaunchReport::cores
    std::uint8_t cb = 0;
    std::uint32_t capacity = 0;
    double mean = 0;         ///< pages, over the makespan
    std::uint32_t most = 0;  ///< pages
    std::vector<std::pair<Millicycles, std::uint32_t>> points;
    Millicycles merged_below = 0;  ///< 0: every change is a point
};

/// Bytes between cores and banks of DRAM over a part of a launch, as bank_traffic() gives them.
struct BankTraffic {
    static constexpr std::uint32_t kSlices = 64;
    struct Device {
        std::uint16_t device = 0;
        std::vector<std::uint64_t> bytes;  ///< kSlices of bank 0, then of bank 1, …
    };
    Millicycles from = 0;  ///< of the launch
    Millicycles to = 0;
    std::vector<Device> devices;
};

/// What a launch did, against what the machine could do in its makespan.
struct WorkReport {
    std::uint32_t cores_given = 0;  ///< cores that had a kernel
    std::uint32_t cores_of_mesh = 0;
    /// Over the given cores: from the first start on their device to the end of its program.
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
    /// The longest that it takes on one device, from its start there to its end there. Devices go
    /// on from launch to launch on their own, so this is less than the makespan.
    PredictedTime device_time;
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
    BankTraffic banks;                      ///< of what is drawn
    std::vector<Millicycles> device_start;  ///< from the launch's start; not in report.json
    std::vector<Millicycles> device_end;
    bool is_drawn_in_part = false;  ///< threads or CBs were left out to bound the size
};

/// What the machine can do at most, for all devices together; 0: not known.
struct PeakRates {
    double flops_per_cycle = 0;  ///< of the FPUs of all worker cores at LoFi
    double dram_bytes_per_cycle = 0;
    double noc_bytes_per_cycle = 0;   ///< injected by all workers on one NoC, times two
    double link_bytes_per_cycle = 0;  ///< all mesh links, both directions
    double noc_link_rate = 0;         ///< one link between routers, bytes per cycle
    double mesh_link_rate = 0;        ///< one mesh link, one direction, bytes per cycle
    double dram_channel_rate = 0;     ///< one channel, bytes per cycle
};

/// A part of the run's critical path whose price rests on constants that nobody publishes.
struct AssumedShare {
    std::string name;  ///< as bound_name gives it
    Millicycles time = 0;
    std::vector<std::string> constants;  ///< paths of those that are assumed
};

/// The change of the makespan with one constant at an end of its range, all others as stated, over
/// the makespan: 0.02 is 2 % longer. 0 at an end that is the stated value.
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
    Hertz clock;  ///< at which cycles are time
    PredictedTime makespan;
    Ensemble ensemble;  ///< of the makespan
    PeakRates peak;
    std::vector<LaunchReport> launches;
    std::vector<AssumedShare> assumed;      ///< as assumed_shares gives it, largest first
    std::vector<ConstantEffect> constants;  ///< largest first; empty: none was moved
    std::optional<ExpertLoad> moe;
    std::optional<RunStages> stages;
    std::vector<SourceText> sources;  ///< that could be read
    std::optional<Focus> focus;       ///< what alone is drawn; none: as the budget has it
};

}  // namespace tessera::report
