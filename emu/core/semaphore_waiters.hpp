// SPDX-License-Identifier: Apache-2.0
// Suspends threads until a word of their core's L1 changes, and wakes them from any worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "emu/core/wait.hpp"

namespace tessera {

class KernelThread;

/// Threads of one core that wait on words of its L1.
class SemaphoreWaiters {
public:
    /// Suspends `thread` until the word at L1 address `record.object` meets the condition of
    /// `record`. Registers the thread, tests the word again under the waker's lock, then parks, so
    /// that no wake-up is lost.
    void wait(KernelThread& thread, const WaitRecord& record);

    /// Wakes the threads that wait on a word in [address, address + size). Call after the write.
    void notify(std::uint32_t address, std::uint32_t size) {
        // An addition, not a load: a thread that registers after it sees the write.
        if (num_waiting_of(counts_.fetch_add(kOneWrite, std::memory_order_seq_cst)) != 0) {
            wake_range(address, size);
        }
    }

    /// Returns the number of calls of notify(), modulo 2^32.
    [[nodiscard]] std::uint32_t num_writes() const noexcept {
        return static_cast<std::uint32_t>(counts_.load(std::memory_order_acquire) >> 32U);
    }

    /// Wakes every thread whose condition holds and returns their number. The scheduler calls it,
    /// because a kernel's plain store to L1 makes no call that could wake a thread.
    std::uint32_t recheck();
    /// Removes all waiting threads without waking them.
    void clear();

private:
    void block_or_forget(KernelThread& thread, const WaitRecord& record);
    void wake_range(std::uint32_t address, std::uint32_t size);
    template <class Predicate>
    std::uint32_t wake_if(Predicate is_touched);

    /// Thread and copy of its record. Wakers read the copy, because only the thread's own worker
    /// may read the thread's record.
    struct Waiter {
        KernelThread* thread;
        WaitRecord record;
    };

    static constexpr std::uint64_t kOneWrite = std::uint64_t{1} << 32U;
    [[nodiscard]] static std::uint32_t num_waiting_of(std::uint64_t counts) noexcept {
        return static_cast<std::uint32_t>(counts);
    }

    /// Writes in the upper half, waiting threads in the lower one: notify() counts and tests in one
    /// step.
    std::atomic<std::uint64_t> counts_{0};
    std::mutex mutex_;
    std::vector<Waiter> waiting_;
};

}  // namespace tessera
