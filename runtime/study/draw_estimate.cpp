// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/draw_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "emu/timing/busy_times.hpp"
#include "runtime/config/field_table.hpp"
#include "runtime/config/timing_constants.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::timed_run {
namespace {

using config::PricedConstant;

/// Bytes of a bfloat16 tile, the page of most transfers.
constexpr double kPageBytes = 2048;

std::size_t place_of(Activity activity, ResourceKind resource) noexcept {
    return static_cast<std::size_t>(activity) * kNumResourceKinds +
           static_cast<std::size_t>(resource);
}

/// Returns the cycles that a constant adds to the time of a page; 0 for limits and shares, whose
/// effect on a time is unknown.
double cycles_of_page(const config::Field& field, const void* constant, Hertz clock) {
    const double number = std::stod(field.number(constant));
    const std::string_view unit = field.unit;
    if (unit == "cycles") {
        return number;
    }
    if (unit == "s") {
        return number * clock.value;
    }
    if (number <= 0) {
        return 0;
    }
    if (unit == "B/cycle") {
        return kPageBytes / number;
    }
    return unit == "B/s" ? kPageBytes * clock.value / number : 0;
}

/// Cycles of a page by constant of `timing:`, in the order of TimingWalk.
using PageCycles = std::vector<double>;

PageCycles page_cycles(const TimingSpec& timing) {
    TimingBounds bounds{timing, timing, timing};
    PageCycles cycles;
    const config::TimingWalk walk(bounds, [&](const config::TimingConstant& constant) {
        cycles.push_back(cycles_of_page(*constant.field, constant.expected, timing.clock));
    });
    return cycles;
}

/// Places of the constants of `timing:` in PageCycles, by key without the prefix.
std::map<std::string, std::size_t, std::less<>> places_of_constants(const TimingSpec& timing) {
    constexpr std::string_view kTiming = "timing.";
    TimingBounds bounds{timing, timing, timing};
    std::map<std::string, std::size_t, std::less<>> places;
    const config::TimingWalk walk(bounds, [&](const config::TimingConstant& constant) {
        places.emplace(constant.key.substr(kTiming.size()), places.size());
    });
    return places;
}

/// Returns whether a constant prices transfers in the direction for which `waits` waits. Names of
/// constants of one direction say so: dram.bank_read_rate, noc.multicast_setup.
bool is_of_direction(std::string_view key, Activity waits) {
    const bool reads = waits == Activity::WaitNocRead;
    const bool is_read = key.find("read") != std::string_view::npos;
    const bool is_write = key.find("write") != std::string_view::npos ||
                          key.find("multicast") != std::string_view::npos;
    return is_read == is_write || is_read == reads;
}

/// Part of a transit: all of it, or the time for which the resource serves no other transfer.
enum class Part : std::uint8_t { Transit, Occupation };

/// Returns the places in PageCycles of the constants that price a part of a transit.
std::vector<std::size_t> constants_of(const std::map<std::string, std::size_t, std::less<>>& places,
                                      std::size_t transit, Part part) {
    const auto activity = static_cast<Activity>(transit / kNumResourceKinds);
    const auto resource = static_cast<ResourceKind>(transit % kNumResourceKinds);
    std::vector<std::size_t> constants;
    for (const PricedConstant& constant : config::constants_of(activity, resource)) {
        const auto found = places.find(constant.key);
        // While one transfer waits for a latency, others use the resource.
        const bool is_latency = constant.key.find("latency") != std::string::npos;
        if (found != places.end() && is_of_direction(constant.key, activity) &&
            (part == Part::Transit || !is_latency)) {
            constants.push_back(found->second);
        }
    }
    return constants;
}

double sum_of(const PageCycles& cycles, std::span<const std::size_t> constants) {
    double sum = 0;
    for (const std::size_t constant : constants) {
        sum += cycles[constant];
    }
    return sum;
}

double ratio(double drawn, double stated) {
    return stated > 0 ? drawn / stated : 1;
}

/// Critical path as sums: busy time by thread and activity, transits by activity and resource.
struct PathSums {
    std::map<std::uint32_t, timing::BusyTimes> busy;
    std::map<std::size_t, Millicycles> transits;
    Millicycles total = 0;
};

PathSums sums_of(const LaunchTimeline& timeline) {
    PathSums sums;
    for (const PathStep& step : timeline.critical_path) {
        Millicycles time = step.end - step.begin;
        const bool is_of_thread = step.thread < timeline.threads.size();
        if (step.activity == Activity::NotStarted && is_of_thread) {
            // A device's own start is no part of its time in the launch.
            const std::uint32_t device = timeline.threads[step.thread].device;
            const bool has_start = device < timeline.device_start.size();
            time -= std::min(time, has_start ? timeline.device_start[device] : 0);
        }
        sums.total += time;
        if (step.resource == ResourceKind::None && !is_wait(step.activity) && is_of_thread) {
            sums.busy[step.thread][static_cast<std::size_t>(step.activity)] += time;
        } else {
            sums.transits[place_of(step.activity, step.resource)] += time;
        }
    }
    return sums;
}

/// Returns the wait for the direction in which the path's transits take more time: reads or writes.
Activity direction_of(const PathSums& sums) {
    Millicycles reads = 0;
    Millicycles others = 0;
    for (const auto& [place, time] : sums.transits) {
        const auto activity = static_cast<Activity>(place / kNumResourceKinds);
        (activity == Activity::WaitNocRead ? reads : others) += time;
    }
    return reads >= others ? Activity::WaitNocRead : Activity::WaitNocWrite;
}

/// Returns the longest time for which one resource of each kind is occupied.
std::array<Millicycles, kNumResourceKinds> longest_occupations(const LaunchTimeline& timeline) {
    std::array<Millicycles, kNumResourceKinds> longest{};
    for (const ResourceUse& use : timeline.resources) {
        Millicycles& busy = longest[static_cast<std::size_t>(use.kind)];
        busy = std::max(busy, use.busy);
    }
    return longest;
}

double sum_of(const timing::BusyTimes& times) {
    return static_cast<double>(std::accumulate(times.begin(), times.end(), Millicycles{0}));
}

/// Returns the threads of a launch, in the order of its timeline.
std::vector<timing::ThreadSource> threads_of(const LaunchTrace& launch) {
    std::vector<timing::ThreadSource> threads;
    for (const CoreTrace& core : launch.cores) {
        const auto more = timing::threads_of(core);
        threads.insert(threads.end(), more.begin(), more.end());
    }
    return threads;
}

/// Returns the threads of the cores that the path passes, also those that it does not pass.
std::vector<std::uint32_t> threads_of_cores_on(const PathSums& sums,
                                               std::span<const timing::ThreadSource> threads) {
    std::set<const CoreTrace*> cores;
    for (const auto& [thread, time] : sums.busy) {
        cores.insert(threads[thread].core);
    }
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t thread = 0; thread < threads.size(); ++thread) {
        if (cores.contains(threads[thread].core)) {
            numbers.push_back(thread);
        }
    }
    return numbers;
}

/// Returns the time that `path` takes if each of its activities changes as the thread's prices do.
double repriced(const timing::BusyTimes& path, const timing::BusyTimes& stated,
                const timing::BusyTimes& drawn) {
    double time = 0;
    for (std::size_t activity = 0; activity < path.size(); ++activity) {
        time += static_cast<double>(path[activity]) *
                ratio(static_cast<double>(drawn[activity]), static_cast<double>(stated[activity]));
    }
    return time;
}

}  // namespace

DrawEstimate::DrawEstimate(const ArchSpec& arch, const TimingSpec& stated,
                           std::span<const TimingSpec> draws)
    : arch_(arch),
      stated_(stated),
      draws_(draws),
      transits_(kNumActivities * kNumResourceKinds, std::vector<double>(draws.size(), 1)),
      occupations_(transits_) {
    const PageCycles of_stated = page_cycles(stated);
    std::vector<PageCycles> of_draws;
    for (const TimingSpec& draw : draws) {
        of_draws.push_back(page_cycles(draw));
    }
    // Keys are looked up once for all draws. A lookup for each draw took 30 ms of each timer, of
    // which a sweep has one for each point.
    const auto places = places_of_constants(stated);
    for (std::size_t i = 0; i < transits_.size(); ++i) {
        const auto note_changes = [&](Part part, std::vector<double>& changes) {
            const std::vector<std::size_t> constants = constants_of(places, i, part);
            const double cycles = sum_of(of_stated, constants);
            for (std::size_t draw = 0; draw < changes.size(); ++draw) {
                changes[draw] = ratio(sum_of(of_draws[draw], constants), cycles);
            }
        };
        note_changes(Part::Transit, transits_[i]);
        note_changes(Part::Occupation, occupations_[i]);
    }
}

void DrawEstimate::price(const Trace& trace) {
    if (trace.names.size() == num_names_) {
        return;
    }
    num_names_ = trace.names.size();
    costs_.clear();
    costs_.reserve(draws_.size() + 1);
    costs_.emplace_back(stated_, trace);
    for (const TimingSpec& draw : draws_) {
        costs_.emplace_back(draw, trace);
    }
}

void DrawEstimate::raise_to_occupations(const LaunchTimeline& timeline, Activity direction,
                                        std::vector<double>& times) const {
    const auto longest = longest_occupations(timeline);
    for (std::size_t kind = 0; kind < longest.size(); ++kind) {
        const auto& changes = occupations_[place_of(direction, static_cast<ResourceKind>(kind))];
        for (std::size_t draw = 0; draw < times.size(); ++draw) {
            times[draw] = std::max(times[draw], static_cast<double>(longest[kind]) * changes[draw]);
        }
    }
}

std::vector<double> DrawEstimate::factors(const LaunchTrace& launch,
                                          const LaunchTimeline& timeline) const {
    const PathSums sums = sums_of(timeline);
    if (sums.total == 0) {
        return std::vector<double>(draws_.size(), 1);
    }
    std::vector<double> times(draws_.size());
    std::vector<double> busiest(draws_.size());
    for (const auto& [place, time] : sums.transits) {
        for (std::size_t draw = 0; draw < times.size(); ++draw) {
            times[draw] += static_cast<double>(time) * transits_[place][draw];
        }
    }
    const auto threads = threads_of(launch);
    const auto busy_at = [&](std::size_t thread, std::size_t costs) {
        return timing::busy_times(costs_[costs], arch_, threads.at(thread));
    };
    for (const std::uint32_t thread : threads_of_cores_on(sums, threads)) {
        const auto on_path = sums.busy.find(thread);
        const timing::BusyTimes path =
            on_path == sums.busy.end() ? timing::BusyTimes{} : on_path->second;
        const timing::BusyTimes stated = busy_at(thread, 0);
        for (std::size_t draw = 0; draw < times.size(); ++draw) {
            const timing::BusyTimes drawn = busy_at(thread, draw + 1);
            times[draw] += repriced(path, stated, drawn);
            busiest[draw] = std::max(busiest[draw], sum_of(drawn));
        }
    }
    // Under some draws the path would lead elsewhere. No launch is shorter than a thread's work, or
    // than the occupation of a resource.
    for (std::size_t draw = 0; draw < times.size(); ++draw) {
        times[draw] = std::max(times[draw], busiest[draw]);
    }
    raise_to_occupations(timeline, direction_of(sums), times);
    for (double& time : times) {
        time /= static_cast<double>(sums.total);
    }
    return times;
}

std::vector<Millicycles> scaled(std::span<const Millicycles> times, double factor) {
    std::vector<Millicycles> scaled;
    scaled.reserve(times.size());
    for (const Millicycles time : times) {
        scaled.push_back(std::llround(static_cast<double>(time) * factor));
    }
    return scaled;
}

}  // namespace tessera::timed_run
