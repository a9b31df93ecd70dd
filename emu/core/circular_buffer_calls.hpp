// SPDX-License-Identifier: Apache-2.0
// The four CB calls of a kernel thread, inlined into the kernel API: they are made several times a
// tile, and what they cost is what a hand-over costs.
#pragma once

#include <algorithm>

#include "emu/core/circular_buffer.hpp"
#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"

namespace tessera {

/// What the calls refuse, at the thread's last call.
namespace cb_faults {
[[noreturn]] void not_configured(const KernelThread& thread, std::uint32_t index, const char* call);
[[noreturn]] void can_never_hold(const KernelThread& thread, std::uint32_t index,
                                 std::uint32_t pages, const char* call);
[[noreturn]] void pushed_unreserved(const KernelThread& thread, std::uint32_t index,
                                    std::uint32_t pages);
[[noreturn]] void popped_unawaited(const KernelThread& thread, std::uint32_t index,
                                   std::uint32_t pages);
[[noreturn]] void stepped_past_end(const KernelThread& thread, const LocalCBInterface& view,
                                   std::uint32_t pages, const char* call);
/// A page that changes hands while a transfer still reads or fills it is a race on the chip.
void check_nothing_in_flight(const KernelThread& thread, TransferKind kind, std::uint32_t address,
                             std::uint32_t size, std::uint32_t index);
}  // namespace cb_faults

/// As configured_buffer(), for the thread's last call. Places beyond the architecture's number are
/// never configured.
[[nodiscard]] inline CircularBuffer& find_buffer(KernelThread& thread, std::uint32_t index,
                                                 const char* call) {
    Core& core = thread.core();
    if (index >= kMaxCircularBuffers || core.circular_buffers[index].size == 0) [[unlikely]] {
        cb_faults::not_configured(thread, index, call);
    }
    return core.circular_buffers[index];
}

[[nodiscard]] constexpr std::uint8_t bit_of(Processor processor) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(processor));
}

/// Wakes the threads in `waiters` whose need is met, and takes them out.
void wake_satisfied(Core& core, std::uint8_t& waiters, std::uint32_t pages);

/// The chip resets a pointer only when it equals the limit; a step past it writes outside.
inline void advance(std::uint32_t& pointer, const LocalCBInterface& view, std::uint32_t pages,
                    const KernelThread& thread, const char* call) {
    std::uint32_t next = pointer + pages * view.fifo_page_size;
    if (next >= view.fifo_limit) {
        if (next != view.fifo_limit) [[unlikely]] {
            cb_faults::stepped_past_end(thread, view, pages, call);
        }
        next -= view.fifo_size;
    }
    pointer = next;
}

/// Whether a call looks at more than counters: at the trace it appends to, and at the transfers
/// of its thread that are under way. Apart, so that a call that does not is a leaf without a
/// stack frame: half the instructions.
enum class Watch : std::uint8_t { Off, On };

[[nodiscard]] inline bool is_recorded(const KernelThread& thread) noexcept {
    return thread.recorder != nullptr;
}
[[nodiscard]] inline bool has_reads_in_flight(const KernelThread& thread) noexcept {
    return (thread.noc[0].num_reads_in_flight | thread.noc[1].num_reads_in_flight) != 0;
}
[[nodiscard]] inline bool has_writes_in_flight(const KernelThread& thread) noexcept {
    return (thread.noc[0].num_writes_in_flight | thread.noc[1].num_writes_in_flight) != 0;
}

template <Watch kWatch>
[[gnu::always_inline]] inline void reserve_back_as(KernelThread& thread, std::uint32_t index,
                                                   std::uint32_t pages) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_reserve_back");
    buffer.producers |= bit_of(thread.processor());
    if (pages > buffer.num_pages) [[unlikely]] {
        cb_faults::can_never_hold(thread, index, pages, "cb_reserve_back");
    }
    if constexpr (kWatch == Watch::On) {
        record_run(thread, EventKind::CbReserve, static_cast<std::uint8_t>(index), pages,
                   thread.last_call);
    }
    LocalCBInterface& view = thread.cb[index];
    view.pages_reserved = std::max(view.pages_reserved, pages);
    if (buffer.num_free() < pages) {
        buffer.space_waiters |= bit_of(thread.processor());
        thread.block({WaitKind::CbSpace, index, pages});
    }
}

template <Watch kWatch>
[[gnu::always_inline]] inline void push_back_as(KernelThread& thread, std::uint32_t index,
                                                std::uint32_t pages) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_push_back");
    if (pages > buffer.num_free()) [[unlikely]] {
        cb_faults::pushed_unreserved(thread, index, pages);
    }
    LocalCBInterface& view = thread.cb[index];
    if constexpr (kWatch == Watch::On) {
        record_run(thread, EventKind::CbPush, static_cast<std::uint8_t>(index), pages,
                   thread.last_call);
        if (has_reads_in_flight(thread)) {
            cb_faults::check_nothing_in_flight(thread, TransferKind::Read, view.fifo_wr_ptr,
                                               pages * view.fifo_page_size, index);
        }
    }
    advance(view.fifo_wr_ptr, view, pages, thread, "cb_push_back");
    view.fifo_wr_tile_ptr = 0;
    view.pages_reserved -= std::min(view.pages_reserved, pages);
    buffer.pages_received += pages;
    if (buffer.data_waiters != 0) {
        wake_satisfied(thread.core(), buffer.data_waiters, buffer.num_full());
    }
}

template <Watch kWatch>
[[gnu::always_inline]] inline void wait_front_as(KernelThread& thread, std::uint32_t index,
                                                 std::uint32_t pages) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_wait_front");
    buffer.consumers |= bit_of(thread.processor());
    if (pages > buffer.num_pages) [[unlikely]] {
        cb_faults::can_never_hold(thread, index, pages, "cb_wait_front");
    }
    if constexpr (kWatch == Watch::On) {
        record_run(thread, EventKind::CbWait, static_cast<std::uint8_t>(index), pages,
                   thread.last_call);
    }
    LocalCBInterface& view = thread.cb[index];
    view.pages_granted = std::max(view.pages_granted, pages);
    if (buffer.num_full() < pages) {
        buffer.data_waiters |= bit_of(thread.processor());
        thread.block({WaitKind::CbData, index, pages});
    }
}

template <Watch kWatch>
[[gnu::always_inline]] inline void pop_front_as(KernelThread& thread, std::uint32_t index,
                                                std::uint32_t pages) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_pop_front");
    if (pages > buffer.num_full()) [[unlikely]] {
        cb_faults::popped_unawaited(thread, index, pages);
    }
    LocalCBInterface& view = thread.cb[index];
    if constexpr (kWatch == Watch::On) {
        record_run(thread, EventKind::CbPop, static_cast<std::uint8_t>(index), pages,
                   thread.last_call);
        if (has_writes_in_flight(thread)) {
            cb_faults::check_nothing_in_flight(thread, TransferKind::Write, view.fifo_rd_ptr,
                                               pages * view.fifo_page_size, index);
        }
    }
    advance(view.fifo_rd_ptr, view, pages, thread, "cb_pop_front");
    view.pages_granted -= std::min(view.pages_granted, pages);
    buffer.pages_acked += pages;
    if (buffer.space_waiters != 0) {
        wake_satisfied(thread.core(), buffer.space_waiters, buffer.num_free());
    }
}

/// The calls with Watch::On.
void reserve_back_watched(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void push_back_watched(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void wait_front_watched(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void pop_front_watched(KernelThread& thread, std::uint32_t index, std::uint32_t pages);

/// Reserve and wait block as their last act, until push or pop has found the need met; both are
/// cumulative. Push and pop never block.
/// Errors   KernelFault{UndefinedBehavior} if the CB is not configured on the core, if more pages
///          are pushed than are free or popped than are there, or if a pointer steps past the
///          limit instead of onto it; {Deadlock} if more pages are asked for than the CB has.
/// Source   tt-metal tt_metal/hw/inc/api/dataflow/dataflow_api.h.
[[gnu::always_inline]] inline void reserve_back(KernelThread& thread, std::uint32_t index,
                                                std::uint32_t pages, CallSite site) {
    thread.note_call(site);
    if (is_recorded(thread)) {
        return reserve_back_watched(thread, index, pages);
    }
    reserve_back_as<Watch::Off>(thread, index, pages);
}
[[gnu::always_inline]] inline void push_back(KernelThread& thread, std::uint32_t index,
                                             std::uint32_t pages, CallSite site) {
    thread.note_call(site);
    if (is_recorded(thread) || has_reads_in_flight(thread)) {
        return push_back_watched(thread, index, pages);
    }
    push_back_as<Watch::Off>(thread, index, pages);
}
[[gnu::always_inline]] inline void wait_front(KernelThread& thread, std::uint32_t index,
                                              std::uint32_t pages, CallSite site) {
    thread.note_call(site);
    if (is_recorded(thread)) {
        return wait_front_watched(thread, index, pages);
    }
    wait_front_as<Watch::Off>(thread, index, pages);
}
[[gnu::always_inline]] inline void pop_front(KernelThread& thread, std::uint32_t index,
                                             std::uint32_t pages, CallSite site) {
    thread.note_call(site);
    if (is_recorded(thread) || has_writes_in_flight(thread)) {
        return pop_front_watched(thread, index, pages);
    }
    pop_front_as<Watch::Off>(thread, index, pages);
}

}  // namespace tessera
