// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/launch_state.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/noc/transfer.hpp"
#include "runtime/scheduler/deadlock_census.hpp"
#include "runtime/scheduler/worker.hpp"

namespace tessera {
namespace {

template <class Visit>
void for_each_thread(std::span<Core* const> cores, Visit visit) {
    for (Core* core : cores) {
        for (const auto& thread : core->threads) {
            if (thread) {
                visit(*thread);
            }
        }
    }
}

constexpr std::uint32_t kYieldsBeforeSleep = 100;

// A thread may wait for transfers that their issuer's later barrier would deliver: for writes of
// other threads, or in a polling loop for its own read. On the chip they arrive even if the issuer
// never reaches its barrier.
std::uint32_t deliver_transfers_in_flight(std::span<Core* const> cores) {
    std::uint32_t num_delivered = 0;
    for_each_thread(cores, [&](KernelThread& thread) {
        if (!thread.is_finished) {
            num_delivered += complete_all_writes(thread);
            num_delivered += deliver_listed(thread, TransferKind::Read);
        }
    });
    return num_delivered;
}

}  // namespace

std::uint64_t order_of(const KernelThread& thread) noexcept {
    const CoreCoord core = thread.core().logical();
    return (std::uint64_t{thread.activity.device} << 40U) | (std::uint64_t{core.y} << 24U) |
           (std::uint64_t{core.x} << 8U) | static_cast<std::uint64_t>(thread.processor());
}

LaunchState::LaunchState(std::span<Core* const> cores) : cores_(cores) {
    std::uint32_t num_threads = 0;
    for_each_thread(cores, [&](KernelThread&) { ++num_threads; });
    num_live_.store(num_threads, std::memory_order_relaxed);
}

Core* LaunchState::claim_core() noexcept {
    // A load before the addition: spinning workers call this in every round, and each addition
    // would take the counter's cache line from the other workers.
    if (!has_unclaimed_core()) {
        return nullptr;
    }
    const std::size_t index = next_core_.fetch_add(1, std::memory_order_relaxed);
    return index < cores_.size() ? cores_[index] : nullptr;
}

bool LaunchState::has_unclaimed_core() const noexcept {
    return next_core_.load(std::memory_order_relaxed) < cores_.size();
}

bool LaunchState::join(Worker& worker) {
    const std::scoped_lock lock(mutex_);
    if (!is_over_) {
        workers_.push_back(&worker);
    }
    return !is_over_;
}

void LaunchState::post(Worker& owner, KernelThread& thread) {
    // Needs the launch's lock, which is_quiescent() holds too. The worker that counts sleepers then
    // sees mail in an inbox. Otherwise it could declare a deadlock while a thread is about to run.
    const std::scoped_lock lock(mutex_);
    owner.inbox.push_back(&thread);
    owner.has_mail.store(true, std::memory_order_release);
    owner.wake_up.notify_one();
}

std::vector<KernelThread*> LaunchState::collect_mail(Worker& worker) {
    const std::scoped_lock lock(mutex_);
    worker.has_mail.store(false, std::memory_order_relaxed);
    return std::exchange(worker.inbox, {});
}

void LaunchState::begin_cancelling(Worker& worker) {
    const std::scoped_lock lock(mutex_);
    worker.has_mail.store(false, std::memory_order_relaxed);
    worker.inbox.clear();
    worker.has_cancelled = true;
}

bool LaunchState::must_cancel(const Worker& worker) const noexcept {
    return is_cancelled() && !worker.has_cancelled;
}

bool LaunchState::is_quiescent() const noexcept {
    // A count, never a time-out: a slow host must not make a working kernel a deadlock.
    const auto is_spinning_idly = [&](const Worker* worker) {
        return worker->idle_spin_since.load(std::memory_order_acquire) == progress();
    };
    // A worker that must cancel but has not woken yet still counts as asleep.
    const auto is_to_cancel = [&](const Worker* worker) { return must_cancel(*worker); };
    const auto num_spinning = std::ranges::count_if(workers_, is_spinning_idly);
    const bool has_mail =
        std::ranges::any_of(workers_, [](const Worker* worker) { return !worker->inbox.empty(); });
    return num_asleep_ + static_cast<std::size_t>(num_spinning) == workers_.size() && !has_mail &&
           !has_unclaimed_core() && std::ranges::none_of(workers_, is_to_cancel);
}

bool LaunchState::is_still() const noexcept {
    return num_asleep_ + num_held_ == workers_.size() && !is_resolving_ && is_quiescent();
}

bool LaunchState::has_reason_to_run(const Worker& worker) const noexcept {
    return !is_resolving_ && (!worker.inbox.empty() || is_over_ || must_cancel(worker));
}

bool LaunchState::sleep(Worker& worker) {
    std::unique_lock lock(mutex_);
    // This worker has run since other workers began to count idle rounds, so their counts restart.
    note_progress();
    ++num_asleep_;
    bool has_spun = false;
    while (!has_reason_to_run(worker)) {
        if (is_still()) {
            resolve_quiescence(lock);
            break;  // its own threads may be ready, which sends no mail
        }
        if (!has_spun) {
            spin_briefly(worker, lock);
            has_spun = true;
        } else {
            worker.wake_up.wait(lock);
        }
    }
    --num_asleep_;
    return !is_over_;
}

// The host takes 20 to 40 us to wake a thread, and mail usually arrives earlier. Spinning reduces
// launch and teardown of 64 × 3 empty fibers on two threads from 67 to 47.5 us.
void LaunchState::spin_briefly(const Worker& worker, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    const auto has_news = [&] {
        return worker.has_mail.load(std::memory_order_acquire) ||
               is_over_.load(std::memory_order_acquire) || must_cancel(worker);
    };
    for (std::uint32_t i = 0; i < kYieldsBeforeSleep && !has_news(); ++i) {
        std::this_thread::yield();
    }
    lock.lock();
}

// Each worker that polls in vain calls this after every round of its threads, so all of them are
// here soon. Until then they do not sleep, because a worker that makes progress wakes nobody.
bool LaunchState::poll(Worker& worker) {
    std::unique_lock lock(mutex_);
    ++num_held_;
    while (is_resolving_ || (!has_reason_to_run(worker) && is_quiescent())) {
        if (is_still()) {
            resolve_quiescence(lock);
            break;
        }
        lock.unlock();
        std::this_thread::yield();
        lock.lock();
    }
    --num_held_;
    return !is_over_;
}

// Called when every worker is in sleep() or poll(), where `is_resolving_` keeps it: the threads of
// all workers are read and changed here. The lock is released while transfers arrive, because
// writes post mail.
void LaunchState::resolve_quiescence(std::unique_lock<std::mutex>& lock) {
    if (num_live_.load(std::memory_order_acquire) == 0) {
        is_over_ = true;
        wake_everybody();
        return;
    }
    is_resolving_ = true;
    note_progress();
    lock.unlock();
    const std::uint32_t num_delivered = deliver_transfers_in_flight(cores_);
    lock.lock();
    is_resolving_ = false;
    // Nothing runs and nothing is in flight: a deadlock. If a thread has failed before, its error
    // is the cause, and each other thread waits for data that the failed thread will not send.
    if (num_delivered == 0 && !is_cancelled()) {
        if (errors_.empty() && !internal_error_) {
            errors_.push_back({0, describe_deadlock(cores_)});
        }
        is_cancelled_.store(true, std::memory_order_release);
    }
    // Mail that arrived meanwhile has woken its owner, which went back to sleep.
    wake_everybody();
}

void LaunchState::wake_everybody() {
    for (Worker* worker : workers_) {
        worker->wake_up.notify_one();
    }
}

void LaunchState::record_error(const KernelThread& thread, KernelError error) {
    const std::scoped_lock lock(mutex_);
    errors_.push_back({order_of(thread), std::move(error)});
}

void LaunchState::record_internal_error(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    if (!internal_error_) {
        internal_error_ = std::move(error);
    }
}

// Throws the first error by (device, core, processor), not by time: the message does not depend on
// the number of workers.
void LaunchState::rethrow() const {
    if (internal_error_) {
        std::rethrow_exception(internal_error_);
    }
    if (!errors_.empty()) {
        throw std::ranges::min_element(errors_, {}, &OrderedError::order)->error;
    }
}

}  // namespace tessera
