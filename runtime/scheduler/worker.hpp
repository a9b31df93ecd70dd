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

    /// Takes part until the launch is over.
    void run();

    /// Puts a parked thread of this worker back among the runnable; call on its host thread.
    static void make_ready(KernelThread& thread);
    /// Sets a thread aside until nothing else can run.
    void set_aside(KernelThread& thread) { polling_.push_back(&thread); }

    [[nodiscard]] LaunchState& launch() noexcept { return *launch_; }

    // Under the launch's lock:
    std::vector<KernelThread*> inbox;
    std::condition_variable wake_up;
    bool has_cancelled = false;  ///< has ended its threads because the launch failed
    std::atomic<bool> has_mail{false};
    /// The launch's progress since which this worker's threads have been spinning on L1 without
    /// progress for long.
    std::atomic<std::uint64_t> idle_spin_since{~std::uint64_t{0}};

    /// Fibers of this worker whose stacks Boost still holds.
    std::uint32_t num_stacks_in_use = 0;

private:
    void adopt(Core& core);
    void take_mail();
    void run_ready_fibers();
    void recheck_own_semaphores();
    void cancel_own_threads();
    [[nodiscard]] bool resume_polling();
    [[nodiscard]] bool has_spun_for_long() const;
    void count_idle_round();
    void release_stacks();

    LaunchState* launch_;
    std::vector<Core*> cores_;
    std::vector<KernelThread*> polling_;
    std::uint64_t num_polls_ = 0;        ///< rounds of polling
    std::uint64_t progress_seen_ = 0;    ///< the launch's progress when polling began
    std::uint64_t num_idle_rounds_ = 0;  ///< rounds of loops without a result since then
};

/// Returns the worker that runs a thread's fiber.
[[nodiscard]] Worker& owner_of(const KernelThread& thread) noexcept;
/// Returns the worker on this host thread.
[[nodiscard]] Worker* current_worker() noexcept;

}  // namespace tessera
