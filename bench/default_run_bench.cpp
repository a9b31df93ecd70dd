// SPDX-License-Identifier: Apache-2.0
// The default run: two host threads against one, and the check against references beside the
// emulation that it checks.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench/kept_memory.hpp"
#include "bench/pairs.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera {
namespace {

config::LoadedRun default_run(std::vector<std::string> sets) {
    const auto path =
        std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "runs" / "moe_v2.yaml";
    return config::load_run(path, std::span<const std::string>(sets));
}

void verify_beside_emulation(benchmark::State& state) {
    bench::keep_freed_memory();
    const config::LoadedRun run = default_run({});
    std::vector<double> ratios;
    for (auto _ : state) {
        const report::HostTimes host = pipeline::run_pipeline(run, {}).host;
        ratios.push_back(host.verify / host.launch);
    }
    bench::set_goal_at_most(state, bench::median_of(ratios), 1);
}
BENCHMARK(verify_beside_emulation)
    ->Name("default run: check against references, of the emulation")
    ->Iterations(5)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

double emulation_seconds(const config::LoadedRun& run) {
    return pipeline::run_pipeline(run, {}).host.launch;
}

void two_threads_over_one(benchmark::State& state) {
    const config::LoadedRun one = default_run({"host.threads=1", "verify.level=off"});
    const config::LoadedRun two = default_run({"host.threads=2", "verify.level=off"});
    std::vector<double> ratios;
    for (auto _ : state) {
        const double alone = emulation_seconds(one);
        ratios.push_back(alone / emulation_seconds(two));
    }
    bench::set_goal_at_least(state, bench::median_of(ratios), 1.85);
}
BENCHMARK(two_threads_over_one)
    ->Name("default run: 2 host threads, times as fast as 1")
    ->Iterations(5)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
