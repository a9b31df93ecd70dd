// SPDX-License-Identifier: Apache-2.0
// Runs one host thread's share of a launch: a worker adopts cores, runs their fibers and sleeps
// when it has nothing to run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <vector>

#include "emu/core/kernel_thread.hpp"

namespace tessera {

class Core;
class LaunchState;

class Worker {
public:
    explicit Worker(LaunchState& launch);

    /// Works on the launch until it is over.
    void run();

    /// Makes a parked thread of this worker ready again; called on its host thread.
    static void make_ready(KernelThread& thread);
    /// Sets a thread aside until nothing else can run.
    void set_aside(KernelThread& thread) { polling_.push_back(&thread); }

    [[nodiscard]] LaunchState& launch() noexcept { return *launch_; }

    // Protected by the launch's lock:
    std::vector<KernelThread*> inbox;
    std::condition_variable wake_up;
    bool has_cancelled = false;  ///< whether it has ended its threads because the launch failed
    std::atomic<bool> has_mail{false};
    /// Value of the launch's progress since which this worker's threads have polled L1 without
    /// progress for a long time.
    std::atomic<std::uint64_t> idle_spin_since{~std::uint64_t{0}};

    /// Number of fibers of this worker whose stacks Boost still holds.
    std::uint32_t num_stacks_in_use = 0;

private:
    void adopt(Core& core);
    void take_mail();
    void run_ready_fibers();
    void recheck_own_semaphores();
    void cancel_own_threads();
    [[nodiscard]] bool resume_polling();
    [[nodiscard]] bool has_polled_with_success() const;
    [[nodiscard]] bool has_spun_for_long() const;
    void count_idle_round();
    bool deliver_own_writes();
    void release_stacks() const;

    LaunchState* launch_;
    std::vector<Core*> cores_;
    std::vector<KernelThread*> polling_;
    std::uint64_t num_polls_ = 0;        ///< rounds of polling
    std::uint64_t progress_seen_ = 0;    ///< the launch's progress when polling began
    std::uint64_t num_idle_rounds_ = 0;  ///< rounds of loops without progress since then
};

/// Returns the worker that runs a thread's fiber.
[[nodiscard]] Worker& owner_of(const KernelThread& thread) noexcept;
/// Returns the worker on this host thread.
[[nodiscard]] Worker* current_worker() noexcept;

}  // namespace tessera
