// SPDX-License-Identifier: Apache-2.0
// Shared state of the workers of one launch: cores to adopt, mail between workers, errors, and a
// count of sleepers that detects when nothing can run.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "tessera/errors.hpp"

namespace tessera {

class Core;
class KernelThread;
class Worker;

class LaunchState {
public:
    explicit LaunchState(std::span<Core* const> cores);

    /// Claims the next core that no worker has adopted; null if there is none.
    [[nodiscard]] Core* claim_core() noexcept;
    [[nodiscard]] bool has_unclaimed_core() const noexcept;

    /// Adds a worker; returns false if the launch is over.
    [[nodiscard]] bool join(Worker& worker);
    /// Posts a thread that became runnable to the worker that owns it.
    void post(Worker& owner, KernelThread& thread);

    /// Removes and returns the threads that were posted to `worker`.
    [[nodiscard]] std::vector<KernelThread*> collect_mail(Worker& worker);

    /// Sleeps until there is mail for `worker` or the launch is over; returns false if it is over.
    /// The last worker to come to rest resolves the launch's quiescence: it delivers the transfers
    /// in flight, or, if there are none, ends the launch with the result.
    [[nodiscard]] bool sleep(Worker& worker);
    /// As sleep(), for a worker whose threads have polled L1 for a long time without progress.
    /// Returns at once while another worker works. While none does, it holds the worker until all
    /// others rest or one makes progress.
    [[nodiscard]] bool poll(Worker& worker);

    /// Notes that `worker` is about to end its own threads, and drops their mail.
    void begin_cancelling(Worker& worker);

    /// Returns whether each worker must end its own threads: only the owner knows which are parked.
    [[nodiscard]] bool is_cancelled() const noexcept {
        return is_cancelled_.load(std::memory_order_acquire);
    }

    void thread_finished() noexcept { num_live_.fetch_sub(1, std::memory_order_acq_rel); }

    /// Returns a count that grows whenever a worker runs anything except an idle round of polling.
    [[nodiscard]] std::uint64_t progress() const noexcept {
        return progress_.load(std::memory_order_acquire);
    }
    void note_progress() noexcept { progress_.fetch_add(1, std::memory_order_acq_rel); }
    void record_error(const KernelThread& thread, KernelError error);
    void record_internal_error(std::exception_ptr error);

    /// Throws the error of the launch, if it failed.
    void rethrow() const;

private:
    /// Returns whether each worker sleeps, or polls L1 without progress.
    [[nodiscard]] bool is_quiescent() const noexcept;
    [[nodiscard]] bool must_cancel(const Worker& worker) const noexcept;
    /// Returns whether the launch is quiescent and each worker is in sleep() or poll().
    [[nodiscard]] bool is_still() const noexcept;
    [[nodiscard]] bool has_reason_to_run(const Worker& worker) const noexcept;
    /// Decides how to continue when nothing can run: transfers in flight arrive, or a deadlock is
    /// recorded and the launch cancelled, or the launch is over. Precondition is_still().
    void resolve_quiescence(std::unique_lock<std::mutex>& lock);
    void wake_everybody();
    /// Yields to other host threads without the lock, a bounded number of times, until `worker` has
    /// mail.
    void spin_briefly(const Worker& worker, std::unique_lock<std::mutex>& lock);

    struct OrderedError {
        std::uint64_t order;
        KernelError error;
    };

    std::span<Core* const> cores_;
    std::atomic<std::size_t> next_core_{0};
    std::atomic<std::uint32_t> num_live_{0};
    std::mutex mutex_;
    std::vector<Worker*> workers_;
    std::atomic<std::uint64_t> progress_{0};
    std::uint32_t num_asleep_ = 0;
    std::uint32_t num_held_ = 0;  ///< workers in poll()
    /// Whether a worker delivers the transfers of all threads, so that no other may run its own.
    bool is_resolving_ = false;
    std::atomic<bool> is_over_ = false;
    std::atomic<bool> is_cancelled_{false};
    std::vector<OrderedError> errors_;
    std::exception_ptr internal_error_;
};

/// Returns the position of a thread in the order (device, core row by row, processor).
[[nodiscard]] std::uint64_t order_of(const KernelThread& thread) noexcept;

}  // namespace tessera
