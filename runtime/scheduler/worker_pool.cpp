// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#ifndef TESSERA_STD_THREAD_POOL
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace tessera {
namespace {

std::uint32_t count_workers(std::uint32_t wanted) {
    return wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

void WorkerPool::for_each(std::size_t count, const std::function<void(std::size_t)>& visit) {
    std::vector<std::exception_ptr> errors(count);
    std::atomic<std::size_t> next = 0;
    const auto visit_some = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                visit(i);
            } catch (...) {
                errors[i] = std::current_exception();
            }
        }
    };
    // One item needs no second thread, and waking one costs 20 to 40 us.
    if (count > 1) {
        run(visit_some);
    } else {
        visit_some();
    }
    const auto first = std::ranges::find_if(
        errors, [](const std::exception_ptr& error) { return error != nullptr; });
    if (first != errors.end()) {
        std::rethrow_exception(*first);
    }
}

#ifdef TESSERA_STD_THREAD_POOL

struct WorkerPool::Arena {};

WorkerPool::WorkerPool(std::uint32_t num_workers) : num_workers_(count_workers(num_workers)) {
}

WorkerPool::~WorkerPool() = default;

// A thread for each launch: this build looks for races, not for speed.
void WorkerPool::run(const std::function<void()>& body) {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 1; i < num_workers_; ++i) {
        threads.emplace_back(body);
    }
    body();
}

#else

// More workers than host cores require a raised limit during the pool's lifetime: oneTBB provides
// one less than the number of cores, whatever an arena requests.
struct WorkerPool::Arena {
    explicit Arena(std::uint32_t num_workers)
        : limit(tbb::global_control::max_allowed_parallelism, num_workers),
          arena(static_cast<int>(num_workers)) {}
    tbb::global_control limit;
    tbb::task_arena arena;
};

WorkerPool::WorkerPool(std::uint32_t num_workers)
    : num_workers_(count_workers(num_workers)), arena_(std::make_unique<Arena>(num_workers_)) {
}

WorkerPool::~WorkerPool() = default;

void WorkerPool::run(const std::function<void()>& body) {
    if (num_workers_ == 1) {
        body();
        return;
    }
    arena_->arena.execute([&] {
        // simple_partitioner: one task per worker. Other partitioners may give several to one
        // thread, which is legal (see run()) but leaves host cores idle.
        tbb::parallel_for(
            std::uint32_t{0}, num_workers_, std::uint32_t{1}, [&](std::uint32_t) { body(); },
            tbb::simple_partitioner{});
    });
}

#endif

}  // namespace tessera
