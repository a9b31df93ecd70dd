// SPDX-License-Identifier: Apache-2.0
// Peak of the host's memory in the default run, compared with the tensors that it has to hold.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench/kept_memory.hpp"
#include "bench/pairs.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera {
namespace {

double peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

void peak_of_default_run(benchmark::State& state) {
    bench::keep_freed_memory();
    const auto path =
        std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "runs" / "moe_v2.yaml";
    const std::vector<std::string> no_sets;
    const config::LoadedRun run = config::load_run(path, std::span<const std::string>(no_sets));
    for (auto _ : state) {
        (void)pipeline::run_pipeline(run, {});
    }
    const auto devices = run.run.mesh.shape.num_devices();
    const auto held = static_cast<double>(pipeline::host_bytes(run.pipeline, devices));
    bench::set_goal_at_most(state, peak_bytes() / held, 1.25);
}
BENCHMARK(peak_of_default_run)
    ->Name("default run: peak memory, of the tensors held")
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
