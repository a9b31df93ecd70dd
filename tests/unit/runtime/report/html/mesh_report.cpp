// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/runtime/report/html/mesh_report.hpp"

#include "runtime/report/timing/reduce.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::report {
namespace {

constexpr Millicycles kCycle = kMillicyclesPerCycle;
constexpr std::uint32_t kSide = 8;

ArchSpec mesh_arch() {
    ArchSpec arch;
    arch.name = "rule_arch";
    arch.workers = {.compute = {kSide, kSide},
                    .noc_columns = {1, 2, 3, 4, 6, 7, 8, 9},
                    .noc_rows = {1, 2, 3, 4, 5, 7, 8, 9}};
    arch.l1.size = Bytes{1464 * 1024};
    arch.l1.reserved = Bytes{100 * 1024};
    for (std::uint32_t bank = 0; bank < 6; ++bank) {
        arch.dram.endpoints.push_back(
            {.physical = {bank % 2 * 5, bank / 2 * 3}, .channel = bank / 2});
    }
    arch.dram.num_banks = 6;
    arch.noc.grid = {10, 12};
    return arch;
}

TimingSpec mesh_timing() {
    TimingSpec timing;
    timing.clock = Hertz{1e9};
    timing.compute.matmul_phase = Cycles{16};
    timing.dram.channel_rate = BytesPerCycle{24};
    timing.noc.injection_rate = BytesPerCycle{28};
    timing.noc.link_rate = BytesPerCycle{30};
    timing.link.rate = BytesPerSecond{12.5e9};
    timing.link.links_per_direction = 4;
    return timing;
}

/// Consecutive intervals of one thread.
class Track {
public:
    Track(Millicycles makespan, CoreCoord core, std::uint16_t device, TimelineThread thread,
          std::uint32_t kernel)
        : makespan_(makespan) {
        timeline_.device = device;
        timeline_.core = core;
        timeline_.thread = thread;
        timeline_.kernel = kernel;
        timeline_.sites = {{}, {kernel, 31}, {kernel, 47}, {kernel, 52}};
    }
    void add(Activity activity, Millicycles cycles, std::uint16_t site = 0,
             std::uint32_t cause = kNoCause, std::uint32_t object = 0) {
        const Millicycles end = std::min(makespan_, now_ + cycles * kCycle);
        if (end > now_) {
            timeline_.totals[static_cast<std::size_t>(activity)] += end - now_;
            timeline_.intervals.push_back({end, cause, object, site, activity});
            now_ = end;
        }
    }
    [[nodiscard]] Millicycles now() const { return now_; }
    [[nodiscard]] ThreadTimeline finish() {
        add(Activity::Finished, makespan_ / kCycle + 1);
        return timeline_;
    }

private:
    Millicycles makespan_;
    Millicycles now_ = 0;
    ThreadTimeline timeline_;
};

/// One launch; `blocks` of core (x,y) of a device are 20 + x + 2 · y + 8 · device.
class RuleLaunch {
public:
    RuleLaunch(const std::string& name, Millicycles start, Millicycles makespan) {
        timeline_.name = name;
        timeline_.start = start * kCycle;
        timeline_.makespan = makespan * kCycle;
        trace_.name = name;
        for (std::uint16_t device = 0; device < 2; ++device) {
            for (std::uint32_t core = 0; core < kSide * kSide; ++core) {
                add_core(device, {core % kSide, core / kSide});
            }
        }
        add_resources();
        add_path();
        timeline_.device_end = {timeline_.makespan - 900 * kCycle, timeline_.makespan};
        timeline_.num_events = 123'456;
    }
    [[nodiscard]] const LaunchTrace& trace() const { return trace_; }
    [[nodiscard]] const LaunchTimeline& timeline() const { return timeline_; }

private:
    void add_core(std::uint16_t device, CoreCoord core) {
        const std::uint32_t blocks = 20 + core.x + 2 * core.y + 8U * device;
        const std::uint64_t product =
            ComputeArgument{.fidelity = MathFidelity::HiFi2, .ct = 2, .rt = 2}.pack();
        trace_.cores.push_back(
            {.device = device,
             .core = core,
             .cbs = {{0, DataFormat::Float16_b, 16, 2048}, {2, DataFormat::Float16_b, 8, 2048}},
             .l1_bytes = 60'000 + 2048 * core.y,
             .threads = {{.processor = Processor::Riscv1, .events = reads_of(blocks)},
                         {.processor = Processor::Compute,
                          .events = {{EventKind::MatmulBlock, 0, 0, blocks * 8, product},
                                     {EventKind::Pack, 0, 0, blocks * 4, 0}}}}});
        const auto first = static_cast<std::uint32_t>(timeline_.threads.size());
        add_reader(device, core, blocks);
        add_unpack(device, core, blocks, first);
        add_math(device, core, blocks, first);
        add_levels(static_cast<std::uint32_t>(trace_.cores.size() - 1), blocks);
    }
    // All cores read the same bank at the same time, bank after bank.
    static std::vector<TraceEvent> reads_of(std::uint32_t blocks) {
        std::vector<TraceEvent> events;
        for (std::uint32_t block = 0; block < blocks; ++block) {
            events.push_back({EventKind::NocRead, 0, 1, 2,
                              TransferArgument{2048, NocPlace::dram(block % 6)}.pack()});
        }
        return events;
    }
    void add_reader(std::uint16_t device, CoreCoord core, std::uint32_t blocks) {
        Track reader(timeline_.makespan, core, device, TimelineThread::Reader, 0);
        reader.add(Activity::NotStarted, 120);
        for (std::uint32_t block = 0; block < blocks; ++block) {
            reader.add(Activity::ReadIssue, 40, 1);
            WaitCause cause{.thread = static_cast<std::uint32_t>(timeline_.threads.size()),
                            .site = 1,
                            .time = reader.now()};
            cause.transit[static_cast<std::size_t>(ResourceKind::Dram)] = 200 * kCycle;
            cause.transit[static_cast<std::size_t>(ResourceKind::NocLink)] = 60 * kCycle;
            timeline_.causes.push_back(cause);
            reader.add(Activity::WaitNocRead, 260, 2,
                       static_cast<std::uint32_t>(timeline_.causes.size() - 1),
                       NocPlace::dram(block % 6).bits);
            reader.add(Activity::CbCall, 12, 3);
        }
        timeline_.threads.push_back(reader.finish());
    }
    void add_unpack(std::uint16_t device, CoreCoord core, std::uint32_t blocks,
                    std::uint32_t reader) {
        Track unpack(timeline_.makespan, core, device, TimelineThread::Unpack, 1);
        unpack.add(Activity::NotStarted, 120);
        for (std::uint32_t block = 0; block < blocks; ++block) {
            const Millicycles end = std::min(timeline_.makespan, unpack.now() + 232 * kCycle);
            timeline_.causes.push_back({.thread = reader, .site = 3, .time = end});
            unpack.add(Activity::WaitCbData, 232, 1,
                       static_cast<std::uint32_t>(timeline_.causes.size() - 1), 0);
            unpack.add(Activity::Unpack, 80, 2);
        }
        timeline_.threads.push_back(unpack.finish());
    }
    void add_math(std::uint16_t device, CoreCoord core, std::uint32_t blocks, std::uint32_t first) {
        Track math(timeline_.makespan, core, device, TimelineThread::Math, 1);
        math.add(Activity::NotStarted, 120);
        for (std::uint32_t block = 0; block < blocks; ++block) {
            const Millicycles end = std::min(timeline_.makespan, math.now() + 180 * kCycle);
            timeline_.causes.push_back({.thread = first + 1, .site = 2, .time = end});
            math.add(Activity::WaitSource, 180, 2,
                     static_cast<std::uint32_t>(timeline_.causes.size() - 1));
            math.add(Activity::Matmul, 128, 2);
            math.add(Activity::DstCall, 4, 3);
        }
        timeline_.threads.push_back(math.finish());
    }
    void add_levels(std::uint32_t core, std::uint32_t blocks) {
        CbLevel level{core, 0, {{0, 0}}};
        for (std::uint32_t block = 0; block < blocks; ++block) {
            const Millicycles begin = (120 + 312 * Millicycles{block}) * kCycle;
            if (begin + 312 * kCycle > timeline_.makespan) {
                break;
            }
            level.pages.emplace_back(begin + 100 * kCycle, 8 + block % 8);
            level.pages.emplace_back(begin + 240 * kCycle, block % 3);
        }
        timeline_.cb_levels.push_back(level);
    }
    void add_resources() {
        for (std::uint16_t device = 0; device < 2; ++device) {
            for (std::uint32_t node = 0; node < 120; ++node) {
                const CoreCoord at{node % 10, node / 10};
                const Millicycles busy = timeline_.makespan * (node * 7 % 90) / 100;
                const std::uint8_t direction = node % 3 == 0 ? 1 : 0;
                const auto noc = static_cast<std::uint8_t>(node % 5 == 0 ? 1 : 0);
                timeline_.resources.push_back({ResourceKind::NocLink, device, noc, at, direction,
                                               busy, static_cast<std::uint64_t>(busy / 40)});
                timeline_.resources.push_back({ResourceKind::NocInjection, device, noc, at, 0,
                                               busy / 2, static_cast<std::uint64_t>(busy / 80)});
            }
            for (std::uint32_t bank = 0; bank < 6; ++bank) {
                const Millicycles busy = timeline_.makespan * (40 + 9 * bank) / 100;
                timeline_.resources.push_back({ResourceKind::Dram,
                                               device,
                                               0,
                                               {bank, 0},
                                               0,
                                               busy,
                                               static_cast<std::uint64_t>(busy / 50)});
            }
            timeline_.resources.push_back({ResourceKind::MeshLink,
                                           device,
                                           0,
                                           {0, 0},
                                           static_cast<std::uint8_t>(device),
                                           timeline_.makespan / 3,
                                           400'000});
        }
    }
    // Adds the math of the last core: its computation and its waits.
    void add_path() {
        const auto math = static_cast<std::uint32_t>(timeline_.threads.size() - 1);
        const std::uint32_t reader = math - 2;
        Millicycles begin = 0;
        for (const Interval& interval : timeline_.threads[math].intervals) {
            const bool is_travel = interval.activity == Activity::WaitSource;
            timeline_.critical_path.push_back(
                {begin, interval.end, is_travel ? reader : math,
                 static_cast<std::uint16_t>(is_travel ? 2 : interval.site),
                 is_travel ? Activity::WaitNocRead : interval.activity,
                 is_travel ? ResourceKind::Dram : ResourceKind::None});
            begin = interval.end;
        }
    }

    LaunchTrace trace_;
    LaunchTimeline timeline_;
};

ExpertLoad rule_load() {
    ExpertLoad load{.launches = {"gate"}};
    for (std::uint32_t expert = 0; expert < 16; ++expert) {
        load.experts.push_back(
            {expert, static_cast<std::uint16_t>(expert / 8), (expert * 13) % 37});
    }
    return load;
}

}  // namespace

TimingReport mesh_report() {
    const std::vector<std::string> names{"ops/moe_bmm/kernels/reader.cpp",
                                         "ops/moe_bmm/kernels/compute.cpp"};
    const MeshSpec mesh{.shape = {1, 2}, .topology = Topology::Line, .device = "rule_arch"};
    TimingReport report = make_report("rule <run>", mesh_arch(), mesh_timing(), mesh);
    for (const RuleLaunch& launch :
         {RuleLaunch("gate", 0, 16'000), RuleLaunch("down", 16'700, 15'000)}) {
        report.launches.push_back(reduce(names, launch.trace(), launch.timeline(),
                                         {report.arch, mesh_timing(), mesh}, {.num_launches = 2}));
    }
    report.makespan = {29'000 * kCycle, 31'700 * kCycle, 36'000 * kCycle};
    std::string text;
    for (int line = 1; line <= 60; ++line) {
        text += "line " + std::to_string(line) + " <of> it\n";
    }
    report.sources = {{names[0], text}};
    report.assumed = {{"DRAM", 18'000 * kCycle, {"arch.timing.dram.request_overhead"}}};
    report.constants = {{"timing.dram.bank_read_rate", "25 B/cycle", "22 B/cycle", -0.02, 0.04},
                        {"timing.noc.hop", "", "11 cycles", 0, 0.01}};
    report.moe = rule_load();
    report.stages = RunStages{.tokens = 317,
                              .stages = {{"up", {"gate"}}, {"other", {"down"}}},
                              .memory = {{"weights", 4096}}};
    return report;
}

}  // namespace tessera::report
