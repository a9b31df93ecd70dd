// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/timeline.hpp"
#include "tessera/units.hpp"

namespace tessera::report {
namespace {

/// Process and thread of an event in a Chrome trace.
struct Track {
    std::uint64_t process = 0;
    std::uint32_t thread = 0;
};

/// Writer of the events of a Chrome trace.
class TraceEvents {
public:
    explicit TraceEvents(Hertz clock) : clock_(clock) {}

    void name_process(const Track& track, std::string_view name);
    void name_thread(const Track& track, std::string_view name);
    /// Threads of a process are shown in the order of their numbers.
    void sort_thread(const Track& track);
    /// `args` is a JSON object, or empty.
    void slice(const Track& track, std::string_view name, std::string_view category,
               Millicycles begin, Millicycles end, std::string_view args);
    void counter(const Track& track, std::string_view name, Millicycles time, double value);
    /// Adds an arrow from the slice that ends at `begin` to the slice that ends at `end`.
    void flow(const Track& from, Millicycles begin, const Track& to, Millicycles end);
    /// Returns the whole file.
    [[nodiscard]] std::string text() const;

private:
    void begin_event();
    [[nodiscard]] std::int64_t nanoseconds(Millicycles time) const noexcept;
    [[nodiscard]] std::int64_t last_inside(Millicycles end) const noexcept;
    static std::string microseconds(std::int64_t nanoseconds);

    Hertz clock_;
    std::string events_;
    std::uint64_t num_flows_ = 0;
};

/// Returns `text` as a JSON string with its quotes.
std::string json_quoted(std::string_view text) {
    return nlohmann::json(text).dump();
}

void TraceEvents::begin_event() {
    events_ += events_.empty() ? "\n" : ",\n";
}

// Rounds times, not lengths, to whole nanoseconds. A rounded length could overlap the next slice by
// one nanosecond, and slices of one track must nest.
std::int64_t TraceEvents::nanoseconds(Millicycles time) const noexcept {
    return std::llround(static_cast<double>(time) / kMillicyclesPerCycle / clock_.value * 1e9);
}

std::string TraceEvents::microseconds(std::int64_t nanoseconds) {
    return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

void TraceEvents::name_process(const Track& track, std::string_view name) {
    begin_event();
    fmt::format_to(std::back_inserter(events_),
                   R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})",
                   track.process, json_quoted(name));
}

void TraceEvents::name_thread(const Track& track, std::string_view name) {
    begin_event();
    fmt::format_to(std::back_inserter(events_),
                   R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                   track.process, track.thread, json_quoted(name));
}

void TraceEvents::sort_thread(const Track& track) {
    begin_event();
    fmt::format_to(
        std::back_inserter(events_),
        R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
        track.process, track.thread, track.thread);
}

void TraceEvents::slice(const Track& track, std::string_view name, std::string_view category,
                        Millicycles begin, Millicycles end, std::string_view args) {
    begin_event();
    fmt::format_to(std::back_inserter(events_),
                   R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{}{}{}}})",
                   json_quoted(name), category, track.process, track.thread,
                   microseconds(nanoseconds(begin)),
                   microseconds(nanoseconds(end) - nanoseconds(begin)),
                   args.empty() ? "" : ",\"args\":", args);
}

void TraceEvents::counter(const Track& track, std::string_view name, Millicycles time,
                          double value) {
    begin_event();
    fmt::format_to(std::back_inserter(events_),
                   R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"value":{}}}}})",
                   json_quoted(name), track.process, microseconds(nanoseconds(time)), value);
}

// Returns the last nanosecond of a slice that ends at this time.
std::int64_t TraceEvents::last_inside(Millicycles end) const noexcept {
    return std::max<std::int64_t>(0, nanoseconds(end) - 1);
}

void TraceEvents::flow(const Track& from, Millicycles begin, const Track& to, Millicycles end) {
    constexpr std::string_view kEvent =
        R"({{"ph":"{}","id":{},"name":"ended by","cat":"wait","pid":{},"tid":{},"ts":{}{}}})";
    ++num_flows_;
    begin_event();
    fmt::format_to(std::back_inserter(events_), kEvent, "s", num_flows_, from.process, from.thread,
                   microseconds(last_inside(begin)), "");
    begin_event();
    fmt::format_to(std::back_inserter(events_), kEvent, "f", num_flows_, to.process, to.thread,
                   microseconds(last_inside(end)), R"(,"bp":"e")");
}

std::string TraceEvents::text() const {
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + events_ + "\n]}\n";
}

constexpr std::size_t kBusiest = 16;  // links of a device and launch that get a counter

/// Wait that another thread ended.
struct Flow {
    Millicycles length = 0;
    Track from;
    Millicycles acted = 0;
    Track to;
    Millicycles end = 0;
};

/// Order of a core's threads in the viewer, along the flow of data, from 1.
std::uint32_t place_of(TimelineThread thread) {
    switch (thread) {
        case TimelineThread::Reader:
            return 1;
        case TimelineThread::Unpack:
            return 2;
        case TimelineThread::Math:
            return 3;
        case TimelineThread::Pack:
            return 4;
        case TimelineThread::Writer:
            return 5;
    }
    return 0;
}

/// Returns the direction of a link: NoC 0 runs right and down, NoC 1 left and up.
const char* direction_of(const ResourceUse& use) {
    const bool is_x = use.direction == 0;
    return use.noc == 0 ? is_x ? "right" : "down" : is_x ? "left" : "up";
}

bool is_shown(const TimelinePoint& point) {
    return is_busy(point.activity) || is_wait(point.activity);
}

/// Adds the lengths of the thread's visible slices.
void add_lengths(const ThreadReport& thread, std::vector<Millicycles>& lengths) {
    Millicycles begin = 0;
    for (const TimelinePoint& point : thread.points) {
        if (is_shown(point)) {
            lengths.push_back(point.end - begin);
        }
        begin = point.end;
    }
}

/// Returns the smallest length that at most `limit` slices have or exceed.
Millicycles shortest_of(const TimingReport& report, std::size_t limit) {
    std::vector<Millicycles> lengths;
    for (const LaunchReport& launch : report.launches) {
        for (const ThreadReport& thread : launch.threads) {
            add_lengths(thread, lengths);
        }
    }
    if (lengths.size() <= limit) {
        return 1;
    }
    std::ranges::nth_element(lengths, lengths.begin() + static_cast<std::ptrdiff_t>(limit),
                             std::ranges::greater{});
    return lengths[limit] + 1;
}

class Writer {
public:
    Writer(const TimingReport& report, Millicycles shortest)
        : report_(report), shortest_(shortest), events_(report.clock) {}

    std::string write(std::size_t max_flows) {
        for (std::uint32_t device = 0; device < report_.mesh.shape.num_devices(); ++device) {
            events_.name_process(device_track(device), fmt::format("device {}", device));
        }
        for (const LaunchReport& launch : report_.launches) {
            add_launch(launch);
        }
        add_flows(max_flows);
        return events_.text();
    }

private:
    // Processes ordered by device, then by core row by row; 0 means no process.
    [[nodiscard]] Track device_track(std::uint32_t device) const {
        const GridSize grid = report_.arch.workers.compute;
        return {1 + std::uint64_t{device} * (1 + grid.columns * grid.rows), 0};
    }
    [[nodiscard]] Track core_track(std::uint16_t device, CoreCoord core) const {
        const GridSize grid = report_.arch.workers.compute;
        return {device_track(device).process + 1 + core.y * grid.columns + core.x, 0};
    }
    Track thread_track(const ThreadReport& thread) {
        Track track = core_track(thread.device, thread.core);
        if (named_.insert({track.process, 0}).second) {
            events_.name_process(
                track, fmt::format("device {} core {}", thread.device, to_string(thread.core)));
        }
        track.thread = place_of(thread.thread);
        if (named_.insert({track.process, track.thread}).second) {
            events_.name_thread(track, label_of(thread.thread));
            events_.sort_thread(track);
        }
        return track;
    }

    // A launch starts before the previous one has ended, and slices of one track must nest. Each
    // launch takes the first free track.
    Track launch_track(std::uint16_t device, Millicycles begin, Millicycles end) {
        std::vector<Millicycles>& ends = launch_ends_[device];
        const auto free = std::ranges::find_if(ends, [&](Millicycles is) { return is <= begin; });
        Track track = device_track(device);
        track.thread = static_cast<std::uint32_t>(free - ends.begin());
        if (free == ends.end()) {
            ends.push_back(end);
            events_.name_thread(track, "launches");
        } else {
            *free = end;
        }
        return track;
    }
    void add_launch(const LaunchReport& launch) {
        std::set<std::uint16_t> devices;
        for (const CoreReport& core : launch.cores) {
            devices.insert(core.device);
        }
        const Millicycles end = launch.start + launch.makespan.expected;
        for (const std::uint16_t device : devices) {
            events_.slice(launch_track(device, launch.start, end), launch.name, "launch",
                          launch.start, end, "");
        }
        for (const ThreadReport& thread : launch.threads) {
            add_thread(launch, thread);
        }
        for (const CbSeries& series : launch.cbs) {
            add_cb(launch, series);
        }
        add_loads(launch);
    }
    void add_thread(const LaunchReport& launch, const ThreadReport& thread) {
        Millicycles begin = 0;
        for (const TimelinePoint& point : thread.points) {
            if (is_shown(point) && point.end - begin >= shortest_) {
                add_point(launch, thread, point, begin);
            }
            begin = point.end;
        }
    }
    void add_point(const LaunchReport& launch, const ThreadReport& thread,
                   const TimelinePoint& point, Millicycles begin) {
        const Track track = thread_track(thread);
        const SourceLine& line = launch.lines.at(point.line);
        std::string args;
        if (!line.file.empty()) {
            args += fmt::format(",\"line\":{}",
                                json_quoted(fmt::format("{}:{}", line.file, line.line)));
        }
        const std::string object = point.is_merged ? "" : object_name(point.activity, point.object);
        args += object.empty() ? "" : fmt::format(",\"object\":{}", json_quoted(object));
        args += point.is_merged ? ",\"merged\":true" : "";
        events_.slice(track, label_of(point.activity), is_wait(point.activity) ? "wait" : "busy",
                      launch.start + begin, launch.start + point.end,
                      args.empty() ? "" : "{" + args.substr(1) + "}");
        note_flow(launch, point, track, begin);
    }
    void note_flow(const LaunchReport& launch, const TimelinePoint& point, const Track& to,
                   Millicycles begin) {
        if (point.cause >= launch.causes.size()) {
            return;
        }
        const PointCause& cause = launch.causes[point.cause];
        if (cause.thread >= launch.threads.size() || launch.threads[cause.thread].points.empty()) {
            return;
        }
        const Track from = thread_track(launch.threads[cause.thread]);
        const bool is_own = from.process == to.process && from.thread == to.thread;
        if (!is_own) {
            flows_.push_back(
                {point.end - begin, from, launch.start + cause.time, to, launch.start + point.end});
        }
    }
    void add_cb(const LaunchReport& launch, const CbSeries& series) {
        const CoreReport& core = launch.cores.at(series.core);
        const Track track = core_track(core.device, core.core);
        const std::string name = fmt::format("CB {} pages", series.cb);
        for (const auto& [time, pages] : series.points) {
            events_.counter(track, name, launch.start + time, pages);
        }
        events_.counter(track, name, launch.start + launch.makespan.expected, 0);
    }

    [[nodiscard]] static std::string name_of_use(const ResourceUse& use) {
        const std::string node = to_string(use.node);
        switch (use.kind) {
            case ResourceKind::NocLink:
                return fmt::format("NoC {} link {} {} %", use.noc, node, direction_of(use));
            case ResourceKind::Dram:
                return fmt::format("DRAM bank {} %", use.node.x);
            case ResourceKind::MeshLink:
                return fmt::format("mesh link {} {} %",
                                   name_of(static_cast<LinkDirection>(use.direction)), use.node.x);
            default:
                return "";
        }
    }
    void add_loads(const LaunchReport& launch) {
        std::vector<ResourceUse> uses = launch.resources;
        std::ranges::stable_sort(uses, std::ranges::greater{}, &ResourceUse::busy);
        std::map<std::tuple<std::uint16_t, ResourceKind>, std::size_t> shown;
        for (const ResourceUse& use : uses) {
            const std::string name = name_of_use(use);
            if (name.empty() || ++shown[{use.device, use.kind}] > kBusiest) {
                continue;
            }
            const Millicycles makespan = launch.makespan.expected;
            const double load =
                100 * share_of(static_cast<double>(use.busy), static_cast<double>(makespan));
            events_.counter(device_track(use.device), name, launch.start, load);
            events_.counter(device_track(use.device), name, launch.start + makespan, 0);
        }
    }
    void add_flows(std::size_t max_flows) {
        std::ranges::stable_sort(flows_, std::ranges::greater{}, &Flow::length);
        flows_.resize(std::min(flows_.size(), max_flows));
        for (const Flow& flow : flows_) {
            events_.flow(flow.from, flow.acted, flow.to, flow.end);
        }
    }

    const TimingReport& report_;
    Millicycles shortest_;
    TraceEvents events_;
    std::set<std::pair<std::uint64_t, std::uint32_t>> named_;
    std::map<std::uint16_t, std::vector<Millicycles>> launch_ends_;  ///< by device and track
    std::vector<Flow> flows_;
};

}  // namespace

std::string perfetto_trace(const TimingReport& report, const PerfettoBounds& bounds) {
    return Writer(report, shortest_of(report, bounds.slices)).write(bounds.flows);
}

}  // namespace tessera::report
