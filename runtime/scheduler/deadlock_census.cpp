// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/deadlock_census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

std::string name_of(const KernelThread& thread) {
    return fmt::format("device {} core {} {}", thread.activity.device,
                       to_string(thread.core().logical()), role_of(thread.processor()));
}

// The object as its author named it: a semaphore by its id, not by its place in L1.
std::string name_of_word(const KernelThread& thread) {
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

/// What a cause says, most first.
enum class Says : std::uint8_t {
    Overshot,       ///< a value that will not come back
    Finished,       ///< the partner has left
    Cycle,          ///< each waits for the next
    Poll,           ///< of a word of L1, whose writer is not known
    ProbableCycle,  ///< the same as a cycle, if partners are those that they seem to be
    Left,           ///< a CB that nobody has used, and a kernel of its core has finished
    Semaphore,      ///< one that no thread has set
    Nobody,         ///< a CB that nobody has used: those who may are blocked themselves
};

struct Cause {
    Says says{};
    std::string text;
};

/// Threads, each of which waits for the next.
using Path = std::vector<const KernelThread*>;

bool waits_for_cb(const KernelThread& thread) {
    return thread.wait.kind == WaitKind::CbData || thread.wait.kind == WaitKind::CbSpace;
}

// The thread of the same core that pushes (pops) the CB a thread waits on, if one ever did. A
// program does not say who produces for a CB; who has done so shows.
const KernelThread* partner_of(const KernelThread& thread) {
    const CircularBuffer& buffer = buffer_of(thread);
    const std::uint8_t partners =
        thread.wait.kind == WaitKind::CbData ? buffer.producers : buffer.consumers;
    for (std::uint32_t p = 0; p < kNumProcessors; ++p) {
        if ((partners >> p & 1U) != 0 && p != static_cast<std::uint32_t>(thread.processor())) {
            return thread.core().threads[p].get();
        }
    }
    return nullptr;
}

// Data flows from the reader through compute to the writer, as a rule.
std::array<Processor, 2> likely_partners(Processor of, WaitKind kind) {
    if (of != Processor::Compute) {
        return {Processor::Compute,
                of == Processor::Riscv0 ? Processor::Riscv1 : Processor::Riscv0};
    }
    return kind == WaitKind::CbData ? std::array{Processor::Riscv1, Processor::Riscv0}
                                    : std::array{Processor::Riscv0, Processor::Riscv1};
}

// In the first round nobody has pushed or popped yet: then it is another thread of the core. That
// is sure to close a cycle only if all of them wait at CBs. One that has finished, or waits for
// another core, may be the one.
std::vector<const KernelThread*> possible_partners(const KernelThread& thread) {
    std::vector<const KernelThread*> partners;
    for (const Processor processor : likely_partners(thread.processor(), thread.wait.kind)) {
        const auto& other = thread.core().threads[static_cast<std::size_t>(processor)];
        if (other && (other->is_finished || !waits_for_cb(*other))) {
            return {};
        }
        if (other) {
            partners.push_back(other.get());
        }
    }
    return partners;
}

std::string describe_edge(const KernelThread& thread) {
    return fmt::format("{} waits for {} of cb {} from ", role_of(thread.processor()),
                       thread.wait.kind == WaitKind::CbData ? "pages" : "space",
                       thread.wait.object);
}

Cause cycle(const Path& path, Path::const_iterator begin, bool is_certain) {
    std::string text =
        fmt::format("cause: {}a cycle on device {} core {}: ", is_certain ? "" : "probably ",
                    (*begin)->activity.device, to_string((*begin)->core().logical()));
    std::string advice;
    for (auto at = begin; at != path.end(); ++at) {
        text += describe_edge(**at);
        if ((*at)->wait.kind == WaitKind::CbSpace && advice.empty()) {
            advice =
                fmt::format("; cb {} has {} pages, with more {} would go on", (*at)->wait.object,
                            buffer_of(**at).num_pages, role_of((*at)->processor()));
        }
    }
    return {is_certain ? Says::Cycle : Says::ProbableCycle,
            text + role_of((*begin)->processor()) + advice};
}

Cause finished(const KernelThread& thread, const KernelThread& partner) {
    const bool is_data = thread.wait.kind == WaitKind::CbData;
    const CircularBuffer& buffer = buffer_of(thread);
    return {Says::Finished,
            fmt::format("cause: the {} of cb {}, {} {}, has finished after {} pages in all",
                        is_data ? "producer" : "consumer", thread.wait.object,
                        role_of(partner.processor()), partner.kernel,
                        is_data ? buffer.pages_received : buffer.pages_acked)};
}

Cause nobody(const KernelThread& thread) {
    std::string left;
    for (const auto& other : thread.core().threads) {
        if (other && other->is_finished) {
            left += fmt::format("{}{} {}", left.empty() ? "; " : " and ",
                                role_of(other->processor()), other->kernel);
        }
    }
    return {left.empty() ? Says::Nobody : Says::Left,
            fmt::format("cause: nobody has ever {} cb {} on {}{}{}",
                        thread.wait.kind == WaitKind::CbData ? "pushed to" : "popped from",
                        thread.wait.object, name_of(thread), left,
                        left.empty() ? "" : " finished without")};
}

Cause of_semaphore(const KernelThread& thread) {
    const std::uint32_t value = load_local_word(thread, thread.wait.object);
    if (thread.wait.kind == WaitKind::SemaphoreEquals && value > thread.wait.need) {
        return {Says::Overshot,
                fmt::format("cause: {} of {} has passed the value {} (it is {}), and "
                            "noc_semaphore_wait tests equality",
                            name_of_word(thread), name_of(thread), thread.wait.need, value)};
    }
    return {Says::Semaphore,
            fmt::format("cause: no thread that can still run would set {} of {} to {}",
                        name_of_word(thread), name_of(thread), thread.wait.need)};
}

// Follows waits until they close a cycle or end at a thread that will not come. Only CBs lead on:
// they have one partner on the same core, where any thread may set a semaphore.
Cause follow(const KernelThread& thread, Path path, bool is_certain) {
    const auto seen = std::ranges::find(path, &thread);
    if (seen != path.end()) {
        return cycle(path, seen, is_certain);
    }
    path.push_back(&thread);
    if (thread.wait.kind == WaitKind::None) {
        return {Says::Poll, fmt::format("cause: {} polls L1 for a value nobody left will write",
                                        name_of(thread))};
    }
    if (!waits_for_cb(thread)) {
        return of_semaphore(thread);
    }
    if (const KernelThread* partner = partner_of(thread)) {
        return partner->is_finished ? finished(thread, *partner)
                                    : follow(*partner, std::move(path), is_certain);
    }
    for (const KernelThread* possible : possible_partners(thread)) {
        Cause cause = follow(*possible, path, false);
        if (cause.says == Says::ProbableCycle) {
            return cause;
        }
    }
    return nobody(thread);
}

// Of all blocked threads, not of the first: that one is often held up by another core's.
std::string describe_cause(std::span<KernelThread* const> blocked) {
    std::vector<Cause> causes;
    for (const KernelThread* thread : blocked) {
        causes.push_back(follow(*thread, {}, true));
    }
    return std::ranges::min_element(causes, {}, &Cause::says)->text;
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
