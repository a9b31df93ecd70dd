// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/deadlock_census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "runtime/scheduler/deadlock_cause.hpp"
#include "runtime/scheduler/launch_state.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMostLines = 64;

std::vector<KernelThread*> blocked_threads(std::span<Core* const> cores) {
    std::vector<KernelThread*> blocked;
    for (Core* core : cores) {
        for (const auto& thread : core->threads) {
            if (thread && !thread->is_finished) {
                blocked.push_back(thread.get());
            }
        }
    }
    std::ranges::sort(blocked, {}, [](const KernelThread* t) { return order_of(*t); });
    return blocked;
}

const CircularBuffer& buffer_of(const KernelThread& thread) {
    return thread.core().circular_buffers[thread.wait.object];
}

std::string describe_wait(const KernelThread& thread) {
    const WaitRecord& wait = thread.wait;
    switch (wait.kind) {
        case WaitKind::CbData:
            return fmt::format("cb_wait_front(cb {}, {}): {} of {} pages are there", wait.object,
                               wait.need, buffer_of(thread).num_full(), wait.need);
        case WaitKind::CbSpace:
            return fmt::format("cb_reserve_back(cb {}, {}): {} of {} pages are free", wait.object,
                               wait.need, buffer_of(thread).num_free(), wait.need);
        case WaitKind::SemaphoreEquals:
            return fmt::format("noc_semaphore_wait({}, {}): its value is {}", name_of_word(thread),
                               wait.need, load_local_word(thread, wait.object));
        case WaitKind::SemaphoreAtLeast:
            return fmt::format("noc_semaphore_wait_min({}, {}): its value is {}",
                               name_of_word(thread), wait.need,
                               load_local_word(thread, wait.object));
        case WaitKind::None:
            return "a loop that polls L1";
    }
    return "?";
}

}  // namespace

KernelError describe_deadlock(std::span<Core* const> cores) {
    const auto blocked = blocked_threads(cores);
    std::string text =
        fmt::format("{} kernel threads are blocked and nothing is in flight", blocked.size());
    for (std::size_t i = 0; i < std::min(blocked.size(), kMostLines); ++i) {
        const CallSite site = blocked[i]->last_call;
        text += fmt::format("\n  {} {}:{} waits in {}", name_of(*blocked[i]), site.file, site.line,
                            describe_wait(*blocked[i]));
    }
    if (blocked.size() > kMostLines) {
        text += fmt::format("\n  … and {} more", blocked.size() - kMostLines);
    }
    text += "\n  " + describe_cause(blocked);
    const KernelThread& first = *blocked.front();
    const CallSite site = first.last_call;
    return {FaultCategory::Deadlock,
            {.device = first.activity.device,
             .core = first.core().logical(),
             .processor = first.processor(),
             .kernel = first.kernel,
             .file = site.file,
             .line = site.line},
            text};
}

}  // namespace tessera
