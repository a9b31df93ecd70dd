// SPDX-License-Identifier: Apache-2.0
// Trace events replayed a second of one core: recorded runs. There is no goal. Packets hold channels
// and buffers of routers and wait for each other, so that a replay makes 0.5 to 0.7 times as many
// events a second as one that books links. The time until a user has an answer counts: see
// sweep_bench and docs/performance.md.
#include <benchmark/benchmark.h>

#include <ctime>
#include <filesystem>

#include "emu/timing/run.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera {
namespace {

struct Recorded {
    config::LoadedRun loaded;
    Trace trace;
};

Recorded record(const std::string& name, const std::vector<std::string>& sets) {
    const auto path =
        std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "runs" / (name + ".yaml");
    Recorded recorded{config::load_run(path, std::span<const std::string>(sets)), {}};
    std::vector<LaunchTrace> launches;
    pipeline::RunModes modes{.trace = TraceMode::On, .maths = Maths::Off};
    modes.trace_sink = [&](const Trace& so_far, LaunchTrace&& launch) {
        recorded.trace = so_far;
        launches.push_back(std::move(launch));
    };
    (void)pipeline::run_pipeline(recorded.loaded, modes);
    recorded.trace.launches = std::move(launches);
    return recorded;
}

void replay_recorded(benchmark::State& state, const std::string& name,
                     const std::vector<std::string>& sets, bool keeps_intervals) {
    const Recorded recorded = record(name, sets);
    const timing::Machine machine{recorded.loaded.arch, recorded.loaded.timing.expected,
                                  recorded.loaded.run.mesh};
    std::uint64_t events = 0;
    for (const LaunchTrace& launch : recorded.trace.launches) {
        events += num_events(launch);
    }
    const std::clock_t start = std::clock();
    for (auto _ : state) {
        timing::RunReplay replay(machine, {.keeps_intervals = keeps_intervals});
        for (const LaunchTrace& launch : recorded.trace.launches) {
            benchmark::DoNotOptimize(replay.add(recorded.trace, launch));
        }
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const auto replayed = static_cast<double>(state.iterations()) * static_cast<double>(events);
    state.counters["events"] = static_cast<double>(events);
    // Not items a second of Google Benchmark, which counts this thread's time alone: devices are
    // replayed side by side.
    state.counters["events_per_cpu_second"] = replayed / seconds;
}

const std::vector<std::string> kLayer{"mesh.shape=[1,2]",   "params.tokens=128",
                                      "params.hidden=2048", "params.intermediate=768",
                                      "params.experts=16",  "params.top_k=8"};

BENCHMARK_CAPTURE(replay_recorded, matmul_640, "matmul_640", {}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_recorded, matmul_640_totals, "matmul_640", {}, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_recorded, vector_add, "vector_add", {}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_recorded, moe_layer, "moe_v2_tiny", kLayer, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_recorded, moe_layer_totals, "moe_v2_tiny", kLayer, false)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
