// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/worker.hpp"

#include <algorithm>
#include <boost/fiber/operations.hpp>
#include <thread>
#include <utility>

#include "emu/core/core.hpp"
#include "emu/noc/transfer.hpp"
#include "runtime/scheduler/announced_stack.hpp"
#include "runtime/scheduler/fiber_algorithm.hpp"
#include "runtime/scheduler/kernel_fiber.hpp"
#include "runtime/scheduler/kernel_signal.hpp"
#include "runtime/scheduler/launch_state.hpp"

namespace tessera {
namespace {

thread_local Worker* t_worker = nullptr;

// A worker that polls yields its processor to other threads, one of which may compute the awaited
// value. On a busy host each yield costs the time slices of the other threads, so yields are about
// 0.1 ms apart. Four launches of endless polling loops take 3.5 s with six busy processes on two
// processors. With a yield every 64 rounds they take 44 s; with a yield every round none ends in
// 160 s.
constexpr std::uint64_t kPollsPerYield = 1024;

// Iterations of idle polling after which a worker lets the writes of its threads arrive: a thread
// may poll for one whose issuer calls no barrier. If they arrive at quiescence only, after 4
// million iterations of each polling thread, 64 cores need 0.25 s of host time for each such write.
constexpr std::uint64_t kRoundsBeforeArrival = 65536;

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
    FiberAlgorithm::install();
    const SignalStack signal_stack;
    // A worker adopts a core whenever its own cores cannot advance, because they may wait for a
    // core that no worker runs yet. oneTBB does not guarantee a second worker; with this rule one
    // worker completes a launch. A fixed share of cores per worker would hang if one worker never
    // starts.
    for (;;) {
        take_mail();
        run_ready_fibers();
        if (launch_->is_cancelled() && !has_cancelled) {
            cancel_own_threads();
            continue;
        }
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
    launch_->note_progress();
    for (KernelThread* thread : launch_->collect_mail(*this)) {
        std::erase(polling_, thread);
        make_ready(*thread);
    }
}

// The loop is the last ready fiber, so one yield runs every kernel until it blocks.
void Worker::run_ready_fibers() {
    const KeepAnnouncedStack keep;
    while (FiberAlgorithm::of_this_thread().has_ready_kernels()) {
        boost::this_fiber::yield();
    }
    set_current_thread(nullptr);
}

// A kernel's plain store to its own L1 sends no notification, because it is a machine instruction
// and not a call. Waiters on such words are tested when nothing else can run.
void Worker::recheck_own_semaphores() {
    for (Core* core : cores_) {
        core->semaphore_waiters.recheck();
    }
}

// Called while no fiber is ready: every unfinished thread is parked exactly once.
void Worker::cancel_own_threads() {
    launch_->begin_cancelling(*this);
    polling_.clear();
    for (Core* core : cores_) {
        for (const auto& thread : core->threads) {
            if (thread && !thread->is_finished) {
                thread->is_cancelled = true;
                make_ready(*thread);
            }
        }
    }
}

// Runs every polling thread once. Any other activity in between is progress.
bool Worker::resume_polling() {
    count_idle_round();
    if (has_spun_for_long() && !launch_->poll(*this)) {
        return false;
    }
    // A worker that must end its threads runs none of them before: they could post mail to threads
    // that another worker has already ended.
    if (has_mail.load(std::memory_order_acquire) || (launch_->is_cancelled() && !has_cancelled)) {
        return true;
    }
    if (num_polls_++ % kPollsPerYield == 0) {
        std::this_thread::yield();
    }
    const FiberAlgorithm& algorithm = FiberAlgorithm::of_this_thread();
    const std::uint64_t picks_before = algorithm.num_picks();
    const std::vector<KernelThread*> threads = std::exchange(polling_, {});
    for (KernelThread* thread : threads) {
        make_ready(*thread);
    }
    run_ready_fibers();
    if (algorithm.num_picks() - picks_before != threads.size() ||
        polling_.size() != threads.size() || has_polled_with_success()) {
        launch_->note_progress();
    }
    return true;
}

// Threads that exchange signals by polling have each polled again after a turn, like threads that
// poll in vain.
bool Worker::has_polled_with_success() const {
    bool has_success = false;
    for (KernelThread* thread : polling_) {
        has_success |= std::exchange(thread->has_polled_with_success, false);
    }
    return has_success;
}

// Polling while nothing else runs anywhere counts as waiting. A kernel that polls a word is not
// blocked, so a deadlock of polling threads has no other symptom. A worker that computes is neither
// asleep nor polling: a long computation is not a deadlock.
bool Worker::has_spun_for_long() const {
    return num_idle_rounds_ > polling_.front()->progress_limit;
}

bool Worker::deliver_own_writes() {
    std::uint32_t num_delivered = 0;
    for (Core* core : cores_) {
        for (const auto& thread : core->threads) {
            if (thread && !thread->is_finished) {
                num_delivered += deliver_listed(*thread, TransferKind::Write);
            }
        }
    }
    return num_delivered != 0;
}

// Each polling thread has one turn between two calls; the thread with the fewest rounds counts.
void Worker::count_idle_round() {
    const std::uint64_t progress = launch_->progress();
    const std::uint64_t rounds =
        (*std::ranges::min_element(polling_, {}, &KernelThread::rounds_per_poll))->rounds_per_poll;
    num_idle_rounds_ = progress == progress_seen_ ? num_idle_rounds_ + rounds : 0;
    progress_seen_ = progress;
    const bool is_due = num_idle_rounds_ > kRoundsBeforeArrival &&
                        num_idle_rounds_ <= kRoundsBeforeArrival + rounds;
    if (is_due && deliver_own_writes()) {
        launch_->note_progress();
    }
    if (has_spun_for_long()) {
        idle_spin_since.store(progress, std::memory_order_release);
    }
}

// The worker counts its stacks, so it must live until Boost has destroyed their fibers.
void Worker::release_stacks() const {
    while (num_stacks_in_use != 0) {
        boost::this_fiber::yield();
    }
}

}  // namespace tessera
