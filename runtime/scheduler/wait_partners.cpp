// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/wait_partners.hpp"

#include <algorithm>
#include <array>

#include "emu/core/core.hpp"
#include "emu/core/trace_recorder.hpp"
#include "tessera/trace_arguments.hpp"

namespace tessera {
namespace {

// Data usually flows from the reader through compute to the writer.
std::array<Processor, 2> likely_partners(Processor of, WaitKind kind) {
    if (of != Processor::Compute) {
        return {Processor::Compute,
                of == Processor::Riscv0 ? Processor::Riscv1 : Processor::Riscv0};
    }
    return kind == WaitKind::CbData ? std::array{Processor::Riscv1, Processor::Riscv0}
                                    : std::array{Processor::Riscv0, Processor::Riscv1};
}

}  // namespace

bool waits_for_cb(const KernelThread& thread) {
    return thread.wait.kind == WaitKind::CbData || thread.wait.kind == WaitKind::CbSpace;
}

bool waits_for_word(const KernelThread& thread) {
    return thread.wait.kind == WaitKind::SemaphoreEquals ||
           thread.wait.kind == WaitKind::SemaphoreAtLeast;
}

Word word_of(const KernelThread& thread) {
    return {thread.activity.device, thread.core().logical(), thread.wait.object};
}

// Only threads that have used this side of the CB are certain partners. A thread is never its own
// partner, although it may push and pop the same CB.
const KernelThread* partner_of(const KernelThread& thread) {
    const CircularBuffer& buffer = thread.core().circular_buffers[thread.wait.object];
    const std::uint8_t partners =
        thread.wait.kind == WaitKind::CbData ? buffer.producers : buffer.consumers;
    for (std::uint32_t p = 0; p < kNumProcessors; ++p) {
        if ((partners >> p & 1U) != 0 && p != static_cast<std::uint32_t>(thread.processor())) {
            return thread.core().threads[p].get();
        }
    }
    return nullptr;
}

// A thread that has finished or waits for something else is not in a cycle of CBs. One such thread
// makes each guess unsafe, so the function then returns none.
Threads possible_partners(const KernelThread& thread) {
    Threads partners;
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

std::map<Word, Threads> setters_of(std::span<KernelThread* const> blocked,
                                   std::span<Core* const> cores) {
    std::map<Word, Threads> setters;
    for (const KernelThread* thread : blocked) {
        if (waits_for_word(*thread)) {
            setters.try_emplace(word_of(*thread));
        }
    }
    // Adds are read from the trace, which keeps the sender; the machine itself does not count them
    // by thread. A launch without a trace has no known setters.
    const auto note = [&](const KernelThread& thread, const TraceEvent& event) {
        if (event.kind != EventKind::SemaphoreAdd && event.kind != EventKind::FabricAdd) {
            return;
        }
        const auto [address, place, device] = WordArgument::unpack(event.argument);
        const auto found = setters.find({device, place.core(), address});
        if (found != setters.end() && !place.is_dram() &&
            std::ranges::find(found->second, &thread) == found->second.end()) {
            found->second.push_back(&thread);
        }
    };
    for (const Core* core : cores) {
        for (const auto& thread : core->threads) {
            if (thread == nullptr || thread->recorder == nullptr) {
                continue;
            }
            std::ranges::for_each(thread->recorder->events(),
                                  [&](const TraceEvent& event) { note(*thread, event); });
        }
    }
    return setters;
}

}  // namespace tessera
