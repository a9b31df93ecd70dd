// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/reduce.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "emu/base/isolated_for.hpp"
#include "runtime/report/timing/bank_traffic.hpp"
#include "runtime/report/timing/drawing.hpp"
#include "runtime/report/timing/line_table.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "tessera/errors.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::report {
namespace {

/// Returns the fidelity phases of a tile product: 1 to 4.
std::uint32_t phases_of(MathFidelity fidelity) noexcept {
    return fidelity == MathFidelity::LoFi ? 1 : static_cast<std::uint32_t>(fidelity);
}

void count_products(std::uint64_t calls, const ComputeArgument& argument, Millicycles phase,
                    CoreReport& core) {
    const std::uint64_t products = calls * argument.ct * argument.rt;
    core.tile_products += products;
    core.ideal_math += static_cast<Millicycles>(products * phases_of(argument.fidelity)) * phase;
}

void count(const TraceEvent& event, Millicycles phase, CoreReport& core) {
    const std::uint64_t bytes = TransferArgument::unpack(event.argument).bytes;
    switch (event.kind) {
        case EventKind::NocRead:
            core.bytes_read += bytes * event.count;
            break;
        case EventKind::NocWrite:
            core.bytes_written += bytes * event.count;
            break;
        case EventKind::NocMulticast:
            core.bytes_written += event.count;
            break;
        case EventKind::MatmulTiles:
        case EventKind::MatmulBlock:
            count_products(event.count, ComputeArgument::unpack(event.argument), phase, core);
            break;
        case EventKind::Pack:
        case EventKind::PackUntilize:
            core.tiles_packed += event.count;
            break;
        default:
            break;
    }
}

/// Returns a core's identity, L1, tiles and bytes. `ideal_math` is tile products × phases ×
/// compute.matmul_phase. Times of its threads are still 0.
CoreReport core_work(const CoreTrace& core, const ComputeTiming& compute) {
    const Millicycles phase = std::llround(compute.matmul_phase.value * kMillicyclesPerCycle);
    CoreReport report{
        .device = core.device, .core = core.core, .l1_bytes = core.l1_bytes, .cbs = core.cbs};
    for (const ThreadTrace& thread : core.threads) {
        for (const TraceEvent& event : thread.events) {
            count(event, phase, report);
        }
    }
    return report;
}

Millicycles& at(std::array<Millicycles, kNumActivities>& totals, Activity activity) {
    return totals[static_cast<std::size_t>(activity)];
}

ThreadReport thread_report(const std::vector<std::string>& names, const ThreadTimeline& thread,
                           std::uint64_t num_intervals, Millicycles makespan) {
    const Millicycles sum =
        std::accumulate(thread.totals.begin(), thread.totals.end(), Millicycles{0});
    ensure(sum == makespan, "times of {} of device {} add up to {} millicycles of {}",
           to_string(thread.core), thread.device, sum, makespan);
    ensure(thread.kernel < names.size(), "kernel {} of {} names", thread.kernel, names.size());
    ThreadReport report{.device = thread.device,
                        .core = thread.core,
                        .thread = thread.thread,
                        .kernel = names[thread.kernel],
                        .totals = thread.totals,
                        .num_intervals = num_intervals};
    report.finish = makespan - at(report.totals, Activity::Finished);
    return report;
}

std::vector<ThreadReport> thread_reports(const std::vector<std::string>& names,
                                         const LaunchTimeline& timeline,
                                         const std::vector<std::uint64_t>& num_intervals) {
    std::vector<ThreadReport> threads;
    threads.reserve(timeline.threads.size());
    for (const ThreadTimeline& thread : timeline.threads) {
        threads.push_back(
            thread_report(names, thread, num_intervals[threads.size()], timeline.makespan));
    }
    for (const PathStep& step : timeline.critical_path) {
        if (step.thread < threads.size()) {
            threads[step.thread].on_path += step.end - step.begin;
        }
    }
    return threads;
}

/// Numbers the causes of drawn points without duplicates.
class CauseTable {
public:
    CauseTable(const LaunchTimeline& timeline, const LineTable& lines)
        : timeline_(timeline), lines_(lines) {}

    std::uint32_t index(std::uint32_t cause) {
        if (cause >= timeline_.causes.size()) {
            return kNoCause;
        }
        const auto next = static_cast<std::uint32_t>(causes_.size());
        const auto [found, is_new] = known_.try_emplace(cause, next);
        if (is_new) {
            const WaitCause& wait = timeline_.causes[cause];
            causes_.push_back({wait.thread, lines_.index(wait.thread, wait.site), wait.time});
        }
        return found->second;
    }
    [[nodiscard]] std::vector<PointCause> causes() && { return std::move(causes_); }

private:
    const LaunchTimeline& timeline_;
    const LineTable& lines_;
    std::map<std::uint32_t, std::uint32_t> known_;
    std::vector<PointCause> causes_;
};

void draw_threads(const LaunchTimeline& timeline, const LineTable& lines, const DrawPlan& plan,
                  LaunchReport& report) {
    CauseTable causes(timeline, lines);
    for (std::uint32_t t = 0; t < timeline.threads.size(); ++t) {
        if (plan.threads[t] == 0) {
            continue;
        }
        ThreadPoints drawn =
            draw_window(timeline.threads[t].intervals, plan.threads[t], plan.from, plan.to);
        for (TimelinePoint& point : drawn.points) {
            point.line = lines.index(t, static_cast<std::uint16_t>(point.line));
            point.cause = causes.index(point.cause);
        }
        report.threads[t].points = std::move(drawn.points);
        report.threads[t].merged_below = drawn.merged_below;
    }
    report.causes = std::move(causes).causes();
}

void draw_cbs(const LaunchTrace& trace, const LaunchTimeline& timeline, const DrawPlan& plan,
              LaunchReport& report) {
    for (std::size_t i = 0; i < timeline.cb_levels.size(); ++i) {
        const CbLevel& level = timeline.cb_levels[i];
        if (plan.cbs[i] > 0) {
            report.cbs.push_back(
                cb_series(level, trace.cores.at(level.core), timeline.makespan, plan.cbs[i]));
        }
    }
}

bool is_math_work(Activity activity) {
    return activity == Activity::Matmul || activity == Activity::Eltwise ||
           activity == Activity::Sfpu;
}

void add_thread(const ThreadReport& thread, CoreReport& core) {
    for (std::size_t activity = 0; activity < kNumActivities; ++activity) {
        core.totals[activity] += thread.totals[activity];
        if (thread.thread == TimelineThread::Math &&
            is_math_work(static_cast<Activity>(activity))) {
            core.busy_math += thread.totals[activity];
        }
    }
    core.finish = std::max(core.finish, thread.finish);
    core.begin = std::min(core.begin, thread.totals[0]);
}

std::vector<CoreReport> core_reports(const LaunchTrace& trace, const ComputeTiming& compute,
                                     const std::vector<ThreadReport>& threads,
                                     Millicycles makespan) {
    std::vector<CoreReport> cores(trace.cores.size());
    // In parallel: the events of 32 devices took 0.1 s on one thread, in which nothing else ran.
    isolated_for(cores.size(), [&](std::size_t i) {
        cores[i] = core_work(trace.cores[i], compute);
        cores[i].begin = trace.cores[i].threads.empty() ? 0 : makespan;
    });
    std::map<std::pair<std::uint32_t, CoreCoord>, std::size_t> index;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        index[{cores[i].device, cores[i].core}] = i;
    }
    for (const ThreadReport& thread : threads) {
        const auto found = index.find({thread.device, thread.core});
        ensure(found != index.end(), "a thread runs on {} of device {}, which has no trace",
               to_string(thread.core), thread.device);
        add_thread(thread, cores[found->second]);
    }
    return cores;
}

std::uint64_t bytes_of(const LaunchTimeline& timeline, ResourceKind kind) {
    std::uint64_t bytes = 0;
    for (const ResourceUse& use : timeline.resources) {
        bytes += use.kind == kind ? use.bytes : 0;
    }
    return bytes;
}

Millicycles given_time(const LaunchTimeline& timeline, const std::vector<CoreReport>& cores) {
    std::map<std::uint16_t, Millicycles> begins;
    for (const CoreReport& core : cores) {
        const auto [begin, is_new] = begins.try_emplace(core.device, core.begin);
        begin->second = std::min(begin->second, core.begin);
    }
    Millicycles time = 0;
    for (const CoreReport& core : cores) {
        const bool has_end = core.device < timeline.device_end.size();
        const Millicycles end = has_end ? timeline.device_end[core.device] : timeline.makespan;
        time += end - begins[core.device];
    }
    return time;
}

WorkReport work_of_launch(const LaunchTimeline& timeline, const std::vector<CoreReport>& cores,
                          const ArchSpec& arch, const MeshSpec& mesh) {
    const GridSize grid = arch.workers.compute;
    WorkReport work{.cores_given = static_cast<std::uint32_t>(cores.size()),
                    .cores_of_mesh = grid.columns * grid.rows * mesh.shape.num_devices(),
                    .given_time = given_time(timeline, cores),
                    .dram_bytes = bytes_of(timeline, ResourceKind::Dram),
                    .noc_bytes = bytes_of(timeline, ResourceKind::NocInjection),
                    .link_bytes = bytes_of(timeline, ResourceKind::MeshLink)};
    for (const CoreReport& core : cores) {
        work.tile_products += core.tile_products;
        work.ideal_math += core.ideal_math;
        work.busy_math += core.busy_math;
    }
    return work;
}

}  // namespace

LaunchReport reduce(const std::vector<std::string>& names, const LaunchTrace& trace,
                    const LaunchTimeline& timeline, const timing::Machine& machine,
                    const DrawBudget& budget, std::span<const IntervalSums* const> parts) {
    const LineTable lines(names, timeline);
    LaunchSums sums = join_sums(timeline, lines, parts, budget.stalls);
    const Millicycles on_device = device_time(timeline);
    LaunchReport report{
        .name = timeline.name.empty() ? trace.name : timeline.name,
        .start = timeline.start,
        .makespan = {timeline.makespan, timeline.makespan, timeline.makespan},
        .device_time = {on_device, on_device, on_device},
        .regimes = timing::regime_times(timeline),
        .num_events = timeline.num_events,
        .lines = lines.lines(),
        .line_times = std::move(sums.line_times),
        .threads = thread_reports(names, timeline, sums.num_intervals),
        .stalls = std::move(sums.stalls),
        .resources = timeline.resources,
        .device_start = timeline.device_start,
        .device_end = timeline.device_end,
    };
    report.cores = core_reports(trace, machine.timing.compute, report.threads, timeline.makespan);
    report.work = work_of_launch(timeline, report.cores, machine.arch, machine.mesh);
    SummedPath path = sum_path(timeline, lines);
    report.path = std::move(path.parts);
    report.path_stretches = std::move(path.stretches);
    const DrawPlan plan = plan_drawing(report.threads, trace, timeline, budget);
    report.is_drawn_in_part = plan.leaves_out;
    draw_threads(timeline, lines, plan, report);
    draw_cbs(trace, timeline, plan, report);
    if (budget.points > 0) {
        report.banks =
            bank_traffic(trace, timeline, machine.arch.dram.num_banks, plan.from, plan.to);
    }
    return report;
}

LaunchReport reduce(const std::vector<std::string>& names, const LaunchTrace& trace,
                    const LaunchTimeline& timeline, const timing::Machine& machine,
                    const DrawBudget& budget) {
    const IntervalSums whole =
        sum_intervals(names, timeline, budget.stalls == 0 ? Stalls::Ignored : Stalls::Summed);
    return reduce(names, trace, timeline, machine, budget, std::array{&whole});
}

}  // namespace tessera::report
