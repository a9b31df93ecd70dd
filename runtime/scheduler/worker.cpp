// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/worker.hpp"

#include <boost/fiber/operations.hpp>
#include <thread>

#include "emu/core/core.hpp"
#include "runtime/scheduler/fiber_algorithm.hpp"
#include "runtime/scheduler/kernel_fiber.hpp"
#include "runtime/scheduler/kernel_signal.hpp"
#include "runtime/scheduler/launch_state.hpp"

namespace tessera {
namespace {

thread_local Worker* t_worker = nullptr;

// Rounds of polling with nothing else to run anywhere after which polling counts as waiting.
constexpr std::uint32_t kIdlePollLimit = 100'000;

}  // namespace

Worker* current_worker() noexcept {
    return t_worker;
}

Worker::Worker(LaunchState& launch) : launch_(&launch) {
}

void Worker::run() {
    if (!launch_->join(*this)) {
        return;
    }
    t_worker = this;
    FiberAlgorithm::of_this_thread();
    const SignalStack signal_stack;
    for (;;) {
        take_mail();
        run_ready_fibers();
        if (has_mail.load(std::memory_order_acquire)) {
            continue;
        }
        if (Core* core = launch_->claim_core()) {
            adopt(*core);
            continue;
        }
        recheck_own_semaphores();
        if (FiberAlgorithm::of_this_thread().has_ready_kernels()) {
            continue;
        }
        if (!(polling_.empty() ? launch_->sleep(*this) : resume_polling())) {
            break;
        }
    }
    release_stacks();
    t_worker = nullptr;
}

void Worker::adopt(Core& core) {
    cores_.push_back(&core);
    for (const auto& thread : core.threads) {
        if (thread) {
            start_fiber(*thread, *this);
        }
    }
}

void Worker::take_mail() {
    if (!has_mail.load(std::memory_order_acquire)) {
        return;
    }
    num_idle_polls_ = 0;
    for (KernelThread* thread : launch_->collect_mail(*this)) {
        std::erase(polling_, thread);
        make_ready(*thread);
    }
}

// The loop is the last in line, so one turn away from it runs every kernel until it blocks.
void Worker::run_ready_fibers() {
    while (FiberAlgorithm::of_this_thread().has_ready_kernels()) {
        boost::this_fiber::yield();
    }
    set_current_thread(nullptr);
}

void Worker::recheck_own_semaphores() {
    for (Core* core : cores_) {
        core->semaphore_waiters.recheck();
    }
}

bool Worker::resume_polling() {
    if (++num_idle_polls_ > kIdlePollLimit && !launch_->poll(*this)) {
        return false;
    }
    if (has_mail.load(std::memory_order_acquire)) {
        return true;
    }
    std::this_thread::yield();
    const std::vector<KernelThread*> threads = std::move(polling_);
    polling_.clear();
    for (KernelThread* thread : threads) {
        make_ready(*thread);
    }
    return true;
}

// A window's stack may be used again only when Boost has destroyed the fiber that lived at its top.
void Worker::release_stacks() {
    while (num_stacks_in_use != 0) {
        boost::this_fiber::yield();
    }
}

}  // namespace tessera
