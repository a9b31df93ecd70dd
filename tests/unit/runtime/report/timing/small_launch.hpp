// SPDX-License-Identifier: Apache-2.0
// A launch written by hand: two cores of 2×1, a reader and a compute kernel on the first, a writer
// on the second; 1 000 cycles.
//
//   core (0,0)  reader  100 not started, 100 read issue, 500 wait for DRAM, 300 finished
//               unpack  100 not started, 600 wait for the reader's push, 100 unpack, 200 finished
//               math    100 not started, 700 wait for unpack, 200 matmul, 0 finished
//               pack    1 000 not started
//   core (1,0)  writer  800 wait for a semaphore that math sets at 800, 100 write issue, 100 done
#pragma once

#include "runtime/report/timing/reduce.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::report {

inline constexpr Millicycles kCycle = kMillicyclesPerCycle;

inline const std::vector<std::string> kSmallNames{"reader.cpp", "compute.cpp", "writer.cpp"};

inline ArchSpec small_arch() {
    ArchSpec arch;
    arch.name = "tiny_arch";
    arch.workers.compute = {2, 1};
    arch.workers.noc_columns = {1, 2};
    arch.workers.noc_rows = {1};
    arch.l1.size = Bytes{1024};
    arch.l1.reserved = Bytes{64};
    arch.dram.endpoints = {{.physical = {0, 0}, .channel = 0}, {.physical = {0, 1}, .channel = 0}};
    arch.noc.grid = {3, 2};
    return arch;
}

inline TimingSpec small_timing() {
    TimingSpec timing;
    timing.clock = Hertz{1e9};
    timing.compute.matmul_phase = Cycles{16};
    timing.dram.channel_rate = BytesPerCycle{32};
    timing.noc.injection_rate = BytesPerCycle{32};
    timing.noc.link_rate = BytesPerCycle{32};
    return timing;
}

inline MeshSpec small_mesh() {
    return {.shape = {1, 1}, .topology = Topology::Line, .device = "tiny_arch"};
}

inline LaunchTrace small_trace() {
    const std::uint64_t read = TransferArgument{2048, NocPlace::dram(1), 0}.pack();
    const std::uint64_t product =
        ComputeArgument{.fidelity = MathFidelity::HiFi2, .ct = 1, .rt = 1}.pack();
    LaunchTrace trace;
    trace.name = "gate";
    trace.cores = {
        {.core = {0, 0},
         .cbs = {{.index = 0, .format = DataFormat::Float16_b, .pages = 4, .page_bytes = 128}},
         .l1_bytes = 512,
         .threads = {{.processor = Processor::Riscv1,
                      .events = {{.kind = EventKind::NocRead, .count = 3, .argument = read}}},
                     {.processor = Processor::Compute,
                      .events = {{.kind = EventKind::MatmulTiles, .count = 5, .argument = product},
                                 {.kind = EventKind::Pack, .count = 2}}}}},
        {.core = {1, 0}, .threads = {{.processor = Processor::Riscv0}}},
    };
    return trace;
}

inline ThreadTimeline small_thread(CoreCoord core, TimelineThread thread, std::uint32_t kernel,
                                   std::vector<Interval> intervals) {
    ThreadTimeline timeline{.core = core,
                            .thread = thread,
                            .kernel = kernel,
                            .sites = {{}, {kernel, 10}, {kernel, 20}},
                            .intervals = std::move(intervals)};
    Millicycles begin = 0;
    for (const Interval& interval : timeline.intervals) {
        timeline.totals[static_cast<std::size_t>(interval.activity)] += interval.end - begin;
        begin = interval.end;
    }
    return timeline;
}

inline std::vector<ThreadTimeline> small_threads() {
    using enum Activity;
    const std::uint32_t bank = NocPlace::dram(1).bits;
    return {
        small_thread({0, 0}, TimelineThread::Reader, 0,
                     {{100 * kCycle, kNoCause, 0, 0, NotStarted},
                      {200 * kCycle, kNoCause, 0, 1, ReadIssue},
                      {700 * kCycle, 0, bank, 2, WaitNocRead},
                      {1000 * kCycle, kNoCause, 0, 0, Finished}}),
        small_thread({0, 0}, TimelineThread::Unpack, 1,
                     {{100 * kCycle, kNoCause, 0, 0, NotStarted},
                      {700 * kCycle, 1, 0, 1, WaitCbData},
                      {800 * kCycle, kNoCause, 0, 2, Activity::Unpack},
                      {1000 * kCycle, kNoCause, 0, 0, Finished}}),
        small_thread({0, 0}, TimelineThread::Math, 1,
                     {{100 * kCycle, kNoCause, 0, 0, NotStarted},
                      {800 * kCycle, 2, 0, 2, WaitSource},
                      {1000 * kCycle, kNoCause, 0, 2, Matmul}}),
        small_thread({0, 0}, TimelineThread::Pack, 1,
                     {{1000 * kCycle, kNoCause, 0, 0, NotStarted}}),
        small_thread({1, 0}, TimelineThread::Writer, 2,
                     {{800 * kCycle, 3, 0x8130, 1, WaitSemaphore},
                      {900 * kCycle, kNoCause, 0, 2, WriteIssue},
                      {1000 * kCycle, kNoCause, 0, 0, Finished}}),
    };
}

inline std::vector<WaitCause> small_causes() {
    WaitCause read{.thread = 0, .site = 1, .time = 200 * kCycle};
    read.transit[static_cast<std::size_t>(ResourceKind::Dram)] = 400 * kCycle;
    read.transit[static_cast<std::size_t>(ResourceKind::NocLatency)] = 100 * kCycle;
    return {
        read,
        {.thread = 0, .site = 2, .time = 700 * kCycle},
        {.thread = 1, .site = 2, .time = 800 * kCycle},
        {.thread = 2, .site = 2, .time = 800 * kCycle},
    };
}

inline LaunchTimeline small_timeline() {
    using enum Activity;
    LaunchTimeline timeline;
    timeline.name = "gate";
    timeline.start = 50 * kCycle;
    timeline.makespan = 1000 * kCycle;
    timeline.threads = small_threads();
    timeline.causes = small_causes();
    timeline.cb_levels = {{0, 0, {{0, 0}, {700 * kCycle, 3}, {800 * kCycle, 1}}}};
    timeline.resources = {
        {ResourceKind::NocInjection, 0, 0, {0, 1}, 0, 200 * kCycle, 6144},
        {ResourceKind::NocLink, 0, 0, {0, 1}, 0, 250 * kCycle, 6144},
        {ResourceKind::Dram, 0, 0, {1, 0}, 0, 400 * kCycle, 6144},
    };
    timeline.critical_path = {
        {0, 100 * kCycle, 0, 0, NotStarted, ResourceKind::None},
        {100 * kCycle, 200 * kCycle, 0, 1, ReadIssue, ResourceKind::None},
        {200 * kCycle, 600 * kCycle, 0, 2, WaitNocRead, ResourceKind::Dram},
        {600 * kCycle, 700 * kCycle, 0, 2, WaitNocRead, ResourceKind::NocLatency},
        {700 * kCycle, 800 * kCycle, 1, 2, Activity::Unpack, ResourceKind::None},
        {800 * kCycle, 1000 * kCycle, 2, 2, Matmul, ResourceKind::None},
    };
    timeline.device_end = {1000 * kCycle};
    timeline.num_events = 9;
    return timeline;
}

/// Returns the reduced launch, the only one of a run that begins 50 cycles earlier.
inline TimingReport small_report(const DrawBudget& budget = {}) {
    TimingReport report = make_report("small", small_arch(), small_timing(), small_mesh());
    report.launches.push_back(reduce(kSmallNames, small_trace(), small_timeline(),
                                     {report.arch, small_timing(), report.mesh}, budget));
    report.makespan = {1000 * kCycle, 1050 * kCycle, 1200 * kCycle};
    report.ensemble.draws = {1000 * kCycle, 1200 * kCycle};
    report.ensemble.regimes.front() = {0.5, 0.25};
    report.ensemble.shared = 0.75;
    return report;
}

}  // namespace tessera::report
