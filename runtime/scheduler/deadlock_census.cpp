// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/deadlock_census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/noc/semaphore_traffic.hpp"
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

// The object as its author named it: a semaphore by its id, not by its place in L1.
std::string describe_semaphore(const KernelThread& thread) {
    const L1Spec& l1 = thread.core().arch().l1;
    const std::uint64_t begin = l1.semaphores.value;
    const std::uint64_t stride = l1.semaphore_stride.value;
    const std::uint64_t address = thread.wait.object;
    if (address >= begin && address < begin + stride * l1.num_semaphores) {
        return fmt::format("semaphore {}", (address - begin) / stride);
    }
    return fmt::format("the word at L1 {:#x}", address);
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
            return fmt::format("noc_semaphore_wait({}, {}): its value is {}",
                               describe_semaphore(thread), wait.need,
                               load_local_word(thread, wait.object));
        case WaitKind::SemaphoreAtLeast:
            return fmt::format("noc_semaphore_wait_min({}, {}): its value is {}",
                               describe_semaphore(thread), wait.need,
                               load_local_word(thread, wait.object));
        case WaitKind::None:
            return "a loop that polls L1";
    }
    return "?";
}

std::string name_of(const KernelThread& thread) {
    return fmt::format("device {} core {} {}", thread.activity.device,
                       to_string(thread.core().logical()), role_of(thread.processor()));
}

// The thread of the same core that pushes (pops) the CB a thread waits on, if one ever did. A
// program does not say who produces for a CB; who has done so shows.
KernelThread* partner_of(const KernelThread& thread) {
    const WaitKind kind = thread.wait.kind;
    if (kind != WaitKind::CbData && kind != WaitKind::CbSpace) {
        return nullptr;
    }
    const CircularBuffer& buffer = buffer_of(thread);
    const std::uint8_t partners = kind == WaitKind::CbData ? buffer.producers : buffer.consumers;
    for (std::uint32_t p = 0; p < kNumProcessors; ++p) {
        if ((partners >> p & 1U) != 0 && p != static_cast<std::uint32_t>(thread.processor())) {
            return thread.core().threads[p].get();
        }
    }
    return nullptr;
}

std::string describe_cycle(const std::vector<const KernelThread*>& path, std::size_t begin) {
    std::string text =
        "cause: a cycle on " + fmt::format("device {} core {}: ", path[begin]->activity.device,
                                           to_string(path[begin]->core().logical()));
    for (std::size_t i = begin; i < path.size(); ++i) {
        text += fmt::format("{} waits for {} of cb {} from ", role_of(path[i]->processor()),
                            path[i]->wait.kind == WaitKind::CbData ? "pages" : "space",
                            path[i]->wait.object);
    }
    return text + role_of(path[begin]->processor());
}

std::string describe_absent_partner(const KernelThread& last, const KernelThread* partner) {
    const bool is_data = last.wait.kind == WaitKind::CbData;
    if (partner == nullptr) {
        return fmt::format("cause: nobody has ever {} cb {} on {}",
                           is_data ? "pushed to" : "popped from", last.wait.object, name_of(last));
    }
    const CircularBuffer& buffer = buffer_of(last);
    return fmt::format("cause: the {} of cb {}, {} {}, has finished after {} pages in all",
                       is_data ? "producer" : "consumer", last.wait.object,
                       role_of(partner->processor()), partner->kernel,
                       is_data ? buffer.pages_received : buffer.pages_acked);
}

std::string describe_semaphore_cause(const KernelThread& thread) {
    const std::uint32_t value = load_local_word(thread, thread.wait.object);
    if (thread.wait.kind == WaitKind::SemaphoreEquals && value > thread.wait.need) {
        return fmt::format(
            "cause: {} of {} has passed the value {} (it is {}), and noc_semaphore_wait tests "
            "equality",
            describe_semaphore(thread), name_of(thread), thread.wait.need, value);
    }
    return fmt::format("cause: no thread that can still run would set {} of {} to {}",
                       describe_semaphore(thread), name_of(thread), thread.wait.need);
}

// Follows the waits from `first` until they close a cycle or end at a thread that will not come.
// Only CBs lead on: they have one partner on the same core, where any thread may set a semaphore.
std::string describe_cause(const KernelThread& first) {
    std::vector<const KernelThread*> path;
    const KernelThread* thread = &first;
    for (;;) {
        if (const auto it = std::ranges::find(path, thread); it != path.end()) {
            return describe_cycle(path, static_cast<std::size_t>(it - path.begin()));
        }
        path.push_back(thread);
        if (thread->wait.kind == WaitKind::None) {
            return fmt::format("cause: {} polls L1 for a value nobody left will write",
                               name_of(*thread));
        }
        if (thread->wait.kind == WaitKind::SemaphoreEquals ||
            thread->wait.kind == WaitKind::SemaphoreAtLeast) {
            return describe_semaphore_cause(*thread);
        }
        const KernelThread* partner = partner_of(*thread);
        if (partner == nullptr || partner->is_finished) {
            return describe_absent_partner(*thread, partner);
        }
        thread = partner;
    }
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
    text += "\n  " + describe_cause(*blocked.front());
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
