// SPDX-License-Identifier: Apache-2.0
// What the scheduler costs: handing tiles over between blocked kernel threads, and launching cores
// that do nothing.
#include <benchmark/benchmark.h>

#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kTilesPerCore = 10'000;

void produce() {
    for (std::uint32_t i = 0; i < kTilesPerCore; ++i) {
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
    }
}

void pass_on() {
    for (std::uint32_t i = 0; i < kTilesPerCore; ++i) {
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
        cb_reserve_back(1, 1);
        cb_push_back(1, 1);
    }
}

void consume() {
    for (std::uint32_t i = 0; i < kTilesPerCore; ++i) {
        cb_wait_front(1, 1);
        cb_pop_front(1, 1);
    }
}

void no_kernel() {
}

void place_everywhere(testing::KernelRig& rig, void (*reader)(), void (*compute)(),
                      void (*writer)()) {
    for (const auto& core : rig.device.cores()) {
        rig.place(core->logical(), Processor::Riscv1, reader);
        rig.place(core->logical(), Processor::Compute, compute);
        rig.place(core->logical(), Processor::Riscv0, writer);
    }
}

// 64 cores × 3 threads, circular buffers of two pages, one page a push.
void BM_HandOverDepthTwo(benchmark::State& state) {
    testing::KernelRig rig(8, 8, static_cast<std::uint32_t>(state.range(0)));
    for (auto _ : state) {
        state.PauseTiming();
        rig.add_buffer(0, 2, 2048);
        rig.add_buffer(1, 2, 2048);
        place_everywhere(rig, produce, pass_on, consume);
        state.ResumeTiming();
        rig.run();
    }
    state.SetItemsProcessed(state.iterations() * 64 * kTilesPerCore);
}
BENCHMARK(BM_HandOverDepthTwo)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_LaunchOfEmptyKernels(benchmark::State& state) {
    testing::KernelRig rig(8, 8, static_cast<std::uint32_t>(state.range(0)));
    for (auto _ : state) {
        state.PauseTiming();
        place_everywhere(rig, no_kernel, no_kernel, no_kernel);
        state.ResumeTiming();
        rig.run();
    }
}
BENCHMARK(BM_LaunchOfEmptyKernels)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tessera
