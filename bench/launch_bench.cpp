// SPDX-License-Identifier: Apache-2.0
// Cost of a launch of 64 cores × 3 kernel threads that do nothing, and whether it leaks.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <thread>
#include <vector>

#include "bench/pairs.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

void no_kernel() {
}

void place_everywhere(testing::KernelRig& rig) {
    for (const auto& core : rig.device.cores()) {
        rig.place(core->logical(), Processor::Riscv1, no_kernel);
        rig.place(core->logical(), Processor::Compute, no_kernel);
        rig.place(core->logical(), Processor::Riscv0, no_kernel);
    }
}

double launch_microseconds(testing::KernelRig& rig) {
    place_everywhere(rig);
    return 1e6 * bench::seconds_of([&] { rig.run(); });
}

void launch_and_teardown(benchmark::State& state) {
    testing::KernelRig rig(8, 8, 2);
    std::vector<double> microseconds;
    for (auto _ : state) {
        microseconds.push_back(launch_microseconds(rig));
    }
    bench::set_goal_at_most(state, bench::median_of(microseconds), 60);
}
BENCHMARK(launch_and_teardown)
    ->Name("launch and teardown of 64 x 3 fibers, us")
    ->MinTime(1)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

void create_threads() {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 192; ++i) {
        threads.emplace_back(no_kernel);
    }
}

void launch_against_threads(benchmark::State& state) {
    testing::KernelRig rig(8, 8, 2);
    std::vector<double> ratios;
    for (auto _ : state) {
        const double ours = launch_microseconds(rig);
        ratios.push_back(1e6 * bench::seconds_of(create_threads) / ours);
    }
    bench::set_goal_at_least(state, bench::median_of(ratios), 20);
}
BENCHMARK(launch_against_threads)
    ->Name("launch, times as fast as 192 std::thread")
    ->Iterations(50)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Bytes in use on the heap after a thousand launches, of those after ten.
void memory_of_launches(benchmark::State& state) {
    testing::KernelRig rig(8, 8, 2);
    const auto launch_times = [&](int times) {
        for (int i = 0; i < times; ++i) {
            (void)launch_microseconds(rig);
        }
        const struct mallinfo2 heap = mallinfo2();
        return static_cast<double>(heap.uordblks + heap.hblkhd);
    };
    double ratio = 0;
    for (auto _ : state) {
        const double before = launch_times(10);
        ratio = launch_times(1000) / before;
    }
    bench::set_goal_at_most(state, ratio, 1.001);
}
BENCHMARK(memory_of_launches)
    ->Name("heap after 1000 empty launches, of that after 10")
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
