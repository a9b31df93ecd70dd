// SPDX-License-Identifier: Apache-2.0
// A sweep of the architecture: one recorded projection of one expert, timed on 100 machines.
#include <benchmark/benchmark.h>

#include <ctime>
#include <filesystem>
#include <vector>

#include "bench/pairs.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "runtime/config/load.hpp"
#include "runtime/session/emulated_session.hpp"
#include "runtime/study/time_trace.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kTokens = 128;
constexpr std::uint32_t kPoints = 100;

config::LoadedArch wormhole() {
    const auto root = std::filesystem::path(TESSERA_SOURCE_DIR);
    return config::load_arch(root / "configs" / "arch" / "wormhole_n150.yaml");
}

/// 128 tokens, 7168 → 2048, on 64 cores; values are not computed.
Trace record(const ArchSpec& arch) {
    Trace trace;
    std::vector<LaunchTrace> launches;
    SessionOptions options;
    options.maths = Maths::Off;
    options.trace = TraceMode::On;
    options.trace_sink = [&](const Trace& so_far, LaunchTrace&& launch) {
        trace = so_far;
        launches.push_back(std::move(launch));
    };
    EmulatedSession session(MeshSpec{}, arch, options);
    const TensorSpec input{{1, kTokens, 7168}, DataFormat::Float16_b, Layout::TILE};
    const TensorSpec weights{{1, 7168, 2048}, DataFormat::Float16_b, Layout::TILE};
    const auto place = [&](const char* name, const TensorSpec& spec) {
        return session.allocate(0, name, spec, BufferType::DRAM);
    };
    const DeviceTensor counts = place("counts", {{1, 1}, DataFormat::UInt32, Layout::ROW_MAJOR});
    HostTensor count = make_host_tensor({1, 1}, DataFormat::UInt32);
    count.as<std::uint32_t>()[0] = kTokens;
    session.write(counts, count);
    const std::vector<std::uint32_t> routed{kTokens};
    const ops::MoeBmmSpec schedule{.k_block = 8, .subblock = {2, 2}, .cb_depth = 2};
    const std::vector<DeviceProgram> programs{
        {0, ops::call_program(
                ops::moe_bmm::op(), arch, &schedule,
                {place("input", input), place("weights", weights), counts},
                {place("output", {{1, kTokens, 2048}, DataFormat::Float16_b, Layout::TILE})},
                routed)}};
    session.launch("moe_bmm", programs);
    trace.launches = std::move(launches);
    return trace;
}

/// The machine with links of `point` parts in kPoints of its rate more.
timed_run::TimedMachine machine_at(const config::LoadedArch& arch, const MeshSpec& mesh,
                                   std::uint32_t point) {
    timed_run::TimedMachine machine = timed_run::machine_of(arch, mesh);
    for (TimingSpec* timing :
         {&machine.timing.low, &machine.timing.expected, &machine.timing.high}) {
        timing->noc.link_rate.value *= 1 + static_cast<double>(point) / kPoints;
    }
    return machine;
}

// The goal is in seconds of the processors, of all threads: a 15th of the 250 s that the sweep took
// at 5b7c7a6, when each machine was replayed nine times for its interval.
constexpr double kMostSeconds = 16.6;

void BM_ArchitectureSweep(benchmark::State& state) {
    const config::LoadedArch arch = wormhole();
    compare::RecordedRun run{
        .name = "sweep", .trace = record(arch.arch), .machine = {}, .file = {}};
    std::vector<double> seconds;
    for (auto _ : state) {
        std::vector<timed_run::RunTimer> timers;
        for (std::uint32_t point = 0; point < kPoints; ++point) {
            timers.emplace_back("sweep", machine_at(arch, run.trace.mesh, point),
                                timed_run::TimerOptions{.detail = timed_run::Detail::Paths});
        }
        const std::clock_t start = std::clock();
        benchmark::DoNotOptimize(timed_run::time_trace(run, timers));
        seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    state.counters["events"] = static_cast<double>(num_events(run.trace.launches.front()));
    bench::set_goal_at_most(state, bench::median_of(seconds), kMostSeconds);
}
BENCHMARK(BM_ArchitectureSweep)->UseRealTime()->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace tessera
