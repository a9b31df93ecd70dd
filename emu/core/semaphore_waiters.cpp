// SPDX-License-Identifier: Apache-2.0
#include "emu/core/semaphore_waiters.hpp"

#include <algorithm>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"

namespace tessera {
namespace {

bool is_met(const Core& core, const WaitRecord& record) {
    const auto* word = reinterpret_cast<const std::uint32_t*>(core.l1(record.object));
    const std::uint32_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    return record.kind == WaitKind::SemaphoreEquals ? value == record.need : value >= record.need;
}

}  // namespace

void SemaphoreWaiters::wait(KernelThread& thread, const WaitRecord& record) {
    // In a loop: before a woken thread runs, the word may have changed again, past the value of an
    // equality.
    while (!is_met(thread.core(), record)) {
        {
            const std::scoped_lock lock(mutex_);
            // Registered, then tested again under the waker's lock: a write that comes between test
            // and registration would wake nobody.
            waiting_.push_back({&thread, record});
            counts_.fetch_add(1, std::memory_order_seq_cst);
            if (is_met(thread.core(), record)) {
                waiting_.pop_back();
                counts_.fetch_sub(1, std::memory_order_relaxed);
                return;
            }
        }
        block_or_forget(thread, record);
    }
}

// A launch that ends in an error cancels its waiters: they must not be found here afterwards.
void SemaphoreWaiters::block_or_forget(KernelThread& thread, const WaitRecord& record) {
    try {
        thread.block(record);
    } catch (const Cancelled&) {
        const std::scoped_lock lock(mutex_);
        const auto num_erased =
            std::erase_if(waiting_, [&](const Waiter& waiter) { return waiter.thread == &thread; });
        counts_.fetch_sub(num_erased, std::memory_order_relaxed);
        throw;
    }
}

// Wakes the waiters whose condition holds, among those that `is_touched` picks.
template <class Predicate>
std::uint32_t SemaphoreWaiters::wake_if(Predicate is_touched) {
    const std::scoped_lock lock(mutex_);
    const auto num_woken = std::erase_if(waiting_, [&](const Waiter& waiter) {
        if (!is_touched(waiter.record) || !is_met(waiter.thread->core(), waiter.record)) {
            return false;
        }
        waiter.thread->wake();
        return true;
    });
    counts_.fetch_sub(num_woken, std::memory_order_relaxed);
    return static_cast<std::uint32_t>(num_woken);
}

void SemaphoreWaiters::wake_range(std::uint32_t address, std::uint32_t size) {
    wake_if([&](const WaitRecord& record) {
        return record.object + 4 > address && record.object < address + size;
    });
}

std::uint32_t SemaphoreWaiters::recheck() {
    return wake_if([](const WaitRecord&) { return true; });
}

void SemaphoreWaiters::clear() {
    const std::scoped_lock lock(mutex_);
    waiting_.clear();
    counts_.store(0, std::memory_order_relaxed);
}

}  // namespace tessera
