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
    while (!is_met(thread.core(), record)) {
        {
            const std::scoped_lock lock(mutex_);
            thread.wait = record;
            waiting_.push_back(&thread);
            num_waiting_.fetch_add(1, std::memory_order_seq_cst);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            if (is_met(thread.core(), record)) {
                waiting_.pop_back();
                num_waiting_.fetch_sub(1, std::memory_order_relaxed);
                thread.wait = {};
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
        if (std::erase(waiting_, &thread) != 0) {
            num_waiting_.fetch_sub(1, std::memory_order_relaxed);
        }
        throw;
    }
}

void SemaphoreWaiters::wake_range(std::uint32_t address, std::uint32_t size) {
    const std::scoped_lock lock(mutex_);
    const auto removed = std::ranges::remove_if(waiting_, [&](KernelThread* thread) {
        const std::uint32_t word = thread->wait.object;
        const bool is_hit = word + 4 > address && word < address + size;
        if (is_hit && is_met(thread->core(), thread->wait)) {
            thread->wake();
            return true;
        }
        return false;
    });
    num_waiting_.fetch_sub(static_cast<std::uint32_t>(removed.size()), std::memory_order_relaxed);
    waiting_.erase(removed.begin(), removed.end());
}

std::uint32_t SemaphoreWaiters::recheck() {
    const std::scoped_lock lock(mutex_);
    const auto removed = std::ranges::remove_if(waiting_, [&](KernelThread* thread) {
        if (!is_met(thread->core(), thread->wait)) {
            return false;
        }
        thread->wake();
        return true;
    });
    const auto num_woken = static_cast<std::uint32_t>(removed.size());
    num_waiting_.fetch_sub(num_woken, std::memory_order_relaxed);
    waiting_.erase(removed.begin(), removed.end());
    return num_woken;
}

void SemaphoreWaiters::clear() {
    const std::scoped_lock lock(mutex_);
    waiting_.clear();
    num_waiting_.store(0, std::memory_order_relaxed);
}

}  // namespace tessera
