// SPDX-License-Identifier: Apache-2.0
// Waking a kernel thread whose core runs on another host thread: by a semaphore, by a multicast;
// against the bare wake of one host thread by another.
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/pairs.hpp"
#include "tessera/kernel/dataflow/multicast.hpp"
#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::own_word;
using testing::semaphore_at;

constexpr std::uint32_t kRounds = 2'000;
constexpr std::uint32_t kCall = 0;
constexpr std::uint32_t kAnswer = 1;

std::atomic<std::uint32_t> arrived{0};

// A worker without work adopts more cores. Each core therefore keeps its worker busy until the
// other core has a worker, too.
void take_a_host_thread_each() {
    arrived.fetch_add(1);
    while (arrived.load() < 2) {
        std::this_thread::yield();
    }
}

std::uint64_t word_of(std::uint32_t column, std::uint32_t semaphore) {
    const CoreCoord origin = current_thread().core().arch().workers.virtual_origin;
    return get_noc_addr(origin.x + column, origin.y, semaphore_at(semaphore));
}

void call_by_increment(std::uint32_t) {
    noc_semaphore_inc(word_of(1, kCall), 1);
}

void call_by_multicast(std::uint32_t round) {
    const CoreCoord origin = current_thread().core().arch().workers.virtual_origin;
    *own_word(semaphore_at(kCall)) = round;
    noc_semaphore_set_multicast(
        semaphore_at(kCall),
        get_noc_multicast_addr(origin.x + 1, origin.y, origin.x + 1, origin.y, semaphore_at(kCall)),
        1);
}

/// Time of the rounds alone, from when both sides have started.
double seconds_of_rounds = 0;

template <void (*call)(std::uint32_t)>
void caller() {
    take_a_host_thread_each();
    seconds_of_rounds = bench::seconds_of([] {
        for (std::uint32_t i = 1; i <= kRounds; ++i) {
            call(i);
            noc_semaphore_wait_min(own_word(semaphore_at(kAnswer)), i);
        }
    });
    noc_async_atomic_barrier();
}

void answerer() {
    take_a_host_thread_each();
    for (std::uint32_t i = 1; i <= kRounds; ++i) {
        noc_semaphore_wait_min(own_word(semaphore_at(kCall)), i);
        noc_semaphore_inc(word_of(0, kAnswer), 1);
    }
    noc_async_atomic_barrier();
}

/// One host thread wakes another, which sleeps: mutex and condition variable.
class Turns {
public:
    void take(std::uint32_t mine) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return turn_ % 2 == mine; });
        ++turn_;
        lock.unlock();
        changed_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint32_t turn_ = 0;
};

double seconds_of_bare_wakes() {
    Turns turns;
    const auto play = [&turns](std::uint32_t mine) {
        for (std::uint32_t i = 0; i < kRounds; ++i) {
            turns.take(mine);
        }
    };
    arrived = 0;
    const std::jthread other([&play] {
        take_a_host_thread_each();
        play(1);
    });
    take_a_host_thread_each();
    return bench::seconds_of([&] { play(0); });
}

template <void (*call)(std::uint32_t)>
void wake(benchmark::State& state) {
    testing::KernelRig rig(2, 1, 2);
    std::vector<double> ratios;
    for (auto _ : state) {
        arrived = 0;
        for (const std::uint32_t column : {0U, 1U}) {
            rig.set_word({column, 0}, semaphore_at(kCall), 0);
            rig.set_word({column, 0}, semaphore_at(kAnswer), 0);
        }
        rig.place({0, 0}, Processor::Riscv0, caller<call>);
        rig.place({1, 0}, Processor::Riscv0, answerer);
        rig.run();
        ratios.push_back(seconds_of_rounds / seconds_of_bare_wakes());
    }
    bench::set_goal_at_most(state, bench::median_of(ratios), 3);
}
BENCHMARK(wake<call_by_increment>)
    ->Name("semaphore across host threads, of a bare wake")
    ->Iterations(15)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(wake<call_by_multicast>)
    ->Name("multicast across host threads, of a bare wake")
    ->Iterations(15)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
