// SPDX-License-Identifier: Apache-2.0
// Handing tiles over between blocked kernel threads through circular buffers of two pages, one page
// a push: 64 cores × 3 threads, against std::thread with a mutex and condition variables.
#include <benchmark/benchmark.h>

#include <array>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/pairs.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kNumCores = 64;
constexpr std::uint32_t kTilesPerCore = 10'000;
/// A hundredth: a thread takes that much longer for one.
constexpr std::uint32_t kTilesPerCoreOfThreads = 100;
constexpr std::uint32_t kDepth = 2;

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

/// The emulated cores.
class Fibers {
public:
    explicit Fibers(std::uint32_t num_workers) : rig_(8, 8, num_workers) {}

    void place() {
        rig_.add_buffer(0, kDepth, 2048);
        rig_.add_buffer(1, kDepth, 2048);
        for (const auto& core : rig_.device.cores()) {
            rig_.place(core->logical(), Processor::Riscv1, produce);
            rig_.place(core->logical(), Processor::Compute, pass_on);
            rig_.place(core->logical(), Processor::Riscv0, consume);
        }
    }
    void run() { rig_.run(); }

private:
    testing::KernelRig rig_;
};

/// A circular buffer as one would write it for threads.
class LockedBuffer {
public:
    void push() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return num_full_ < kDepth; });
        ++num_full_;
        lock.unlock();
        changed_.notify_one();
    }
    void pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return num_full_ > 0; });
        --num_full_;
        lock.unlock();
        changed_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint32_t num_full_ = 0;
};

template <class Act>
void repeat(Act act) {
    for (std::uint32_t i = 0; i < kTilesPerCoreOfThreads; ++i) {
        act();
    }
}

void run_threads() {
    std::vector<std::array<LockedBuffer, 2>> cores(kNumCores);
    std::vector<std::jthread> threads;
    for (auto& buffers : cores) {
        threads.emplace_back([&] { repeat([&] { buffers[0].push(); }); });
        threads.emplace_back([&] {
            repeat([&] {
                buffers[0].pop();
                buffers[1].push();
            });
        });
        threads.emplace_back([&] { repeat([&] { buffers[1].pop(); }); });
    }
}

void hand_over_nanoseconds(benchmark::State& state) {
    Fibers fibers(2);
    std::vector<double> nanoseconds;
    for (auto _ : state) {
        state.PauseTiming();
        fibers.place();
        state.ResumeTiming();
        const std::clock_t start = std::clock();
        fibers.run();
        nanoseconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9 /
                              (kNumCores * kTilesPerCore));
    }
    bench::set_goal_at_most(state, bench::median_of(nanoseconds), 60);
}
BENCHMARK(hand_over_nanoseconds)
    ->Name("CB hand-over at depth 2, processor ns a tile")
    ->MinTime(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void hand_over_against_threads(benchmark::State& state) {
    Fibers fibers(2);
    constexpr double kMoreTiles = double{kTilesPerCore} / kTilesPerCoreOfThreads;
    std::vector<double> ratios;
    for (auto _ : state) {
        state.PauseTiming();
        fibers.place();
        state.ResumeTiming();
        const double ours = bench::seconds_of([&] { fibers.run(); });
        ratios.push_back(bench::seconds_of(run_threads) * kMoreTiles / ours);
    }
    bench::set_goal_at_least(state, bench::median_of(ratios), 20);
}
BENCHMARK(hand_over_against_threads)
    ->Name("CB hand-over, times as fast as std::thread")
    ->Iterations(9)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
