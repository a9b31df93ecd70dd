// SPDX-License-Identifier: Apache-2.0
// The four CB calls of a kernel thread, inlined into the kernel API: they are made several times a
// tile, and what they cost is what a hand-over costs.
#pragma once

#include <algorithm>
#include <bit>

#include "emu/core/circular_buffer.hpp"
#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"

namespace tessera {

/// What the calls refuse, and what they need only while a transfer is under way.
namespace cb_faults {
[[noreturn]] void can_never_hold(const CircularBuffer& buffer, std::uint32_t index,
                                 std::uint32_t pages, const char* call, CallSite site);
[[noreturn]] void pushed_unreserved(const CircularBuffer& buffer, std::uint32_t index,
                                    std::uint32_t pages, CallSite site);
[[noreturn]] void popped_unawaited(const CircularBuffer& buffer, std::uint32_t index,
                                   std::uint32_t pages, CallSite site);
[[noreturn]] void stepped_past_end(const LocalCBInterface& view, std::uint32_t index,
                                   std::uint32_t pages, const char* call, CallSite site);
/// A page that changes hands while a transfer still reads or fills it is a race on the chip.
void check_nothing_in_flight(const KernelThread& thread, TransferKind kind, std::uint32_t address,
                             std::uint32_t size, std::uint32_t index, CallSite site);
}  // namespace cb_faults

/// Says what is wrong with a CB that configured_buffer() does not give.
[[noreturn]] void refuse_buffer(const Core& core, std::uint32_t index, const char* call,
                                CallSite site);

/// As configured_buffer(). Places beyond the architecture's number are never configured.
[[nodiscard]] inline CircularBuffer& find_buffer(KernelThread& thread, std::uint32_t index,
                                                 const char* call, CallSite site) {
    Core& core = thread.core();
    thread.last_call = site;
    if (index >= kMaxCircularBuffers || core.circular_buffers[index].size == 0) [[unlikely]] {
        refuse_buffer(core, index, call, site);
    }
    return core.circular_buffers[index];
}

[[nodiscard]] constexpr std::uint8_t bit_of(Processor processor) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(processor));
}

/// Wakes the threads in `waiters` whose need is met, and takes them out.
inline void wake_satisfied(Core& core, std::uint8_t& waiters, std::uint32_t pages) {
    for (unsigned left = waiters; left != 0; left &= left - 1) {
        KernelThread& waiter = *core.threads[static_cast<unsigned>(std::countr_zero(left))];
        if (waiter.wait.need <= pages) {
            waiters = static_cast<std::uint8_t>(waiters & ~bit_of(waiter.processor()));
            waiter.thread_switch.wake_neighbour(waiter);
        }
    }
}

/// The chip resets a pointer only when it equals the limit; a step past it writes outside.
inline void advance(std::uint32_t& pointer, const LocalCBInterface& view, std::uint32_t pages,
                    const char* call, std::uint32_t index, CallSite site) {
    pointer += pages * view.fifo_page_size;
    if (pointer >= view.fifo_limit) {
        if (pointer != view.fifo_limit) [[unlikely]] {
            cb_faults::stepped_past_end(view, index, pages, call, site);
        }
        pointer -= view.fifo_size;
    }
}

/// Reserve and wait block as their last act, until push or pop has found the need met; both are
/// cumulative. Push and pop never block.
/// Errors   KernelFault{UndefinedBehavior} if the CB is not configured on the core, if more pages
///          are pushed than are free or popped than are there, or if a pointer steps past the
///          limit instead of onto it; {Deadlock} if more pages are asked for than the CB has.
/// Source   tt-metal tt_metal/hw/inc/api/dataflow/dataflow_api.h.
[[gnu::always_inline]] inline void reserve_back(KernelThread& thread, std::uint32_t index,
                                                std::uint32_t pages, CallSite site) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_reserve_back", site);
    buffer.producers |= bit_of(thread.processor());
    if (pages > buffer.num_pages) [[unlikely]] {
        cb_faults::can_never_hold(buffer, index, pages, "cb_reserve_back", site);
    }
    record_run(thread, EventKind::CbReserve, static_cast<std::uint8_t>(index), pages, site);
    LocalCBInterface& view = thread.cb[index];
    view.pages_reserved = std::max(view.pages_reserved, pages);
    if (buffer.num_free() < pages) {
        buffer.space_waiters |= bit_of(thread.processor());
        thread.block({WaitKind::CbSpace, index, pages, site});
    }
}

[[gnu::always_inline]] inline void push_back(KernelThread& thread, std::uint32_t index,
                                             std::uint32_t pages, CallSite site) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_push_back", site);
    if (pages > buffer.num_free()) [[unlikely]] {
        cb_faults::pushed_unreserved(buffer, index, pages, site);
    }
    record_run(thread, EventKind::CbPush, static_cast<std::uint8_t>(index), pages, site);
    LocalCBInterface& view = thread.cb[index];
    if (thread.noc[0].num_reads_in_flight + thread.noc[1].num_reads_in_flight != 0) [[unlikely]] {
        cb_faults::check_nothing_in_flight(thread, TransferKind::Read, view.fifo_wr_ptr,
                                           pages * view.fifo_page_size, index, site);
    }
    advance(view.fifo_wr_ptr, view, pages, "cb_push_back", index, site);
    view.fifo_wr_tile_ptr = 0;
    view.pages_reserved -= std::min(view.pages_reserved, pages);
    buffer.pages_received += pages;
    if (buffer.data_waiters != 0) {
        wake_satisfied(thread.core(), buffer.data_waiters, buffer.num_full());
    }
}

[[gnu::always_inline]] inline void wait_front(KernelThread& thread, std::uint32_t index,
                                              std::uint32_t pages, CallSite site) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_wait_front", site);
    buffer.consumers |= bit_of(thread.processor());
    if (pages > buffer.num_pages) [[unlikely]] {
        cb_faults::can_never_hold(buffer, index, pages, "cb_wait_front", site);
    }
    record_run(thread, EventKind::CbWait, static_cast<std::uint8_t>(index), pages, site);
    LocalCBInterface& view = thread.cb[index];
    view.pages_granted = std::max(view.pages_granted, pages);
    if (buffer.num_full() < pages) {
        buffer.data_waiters |= bit_of(thread.processor());
        thread.block({WaitKind::CbData, index, pages, site});
    }
}

[[gnu::always_inline]] inline void pop_front(KernelThread& thread, std::uint32_t index,
                                             std::uint32_t pages, CallSite site) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_pop_front", site);
    if (pages > buffer.num_full()) [[unlikely]] {
        cb_faults::popped_unawaited(buffer, index, pages, site);
    }
    record_run(thread, EventKind::CbPop, static_cast<std::uint8_t>(index), pages, site);
    LocalCBInterface& view = thread.cb[index];
    if (thread.noc[0].num_writes_in_flight + thread.noc[1].num_writes_in_flight != 0) [[unlikely]] {
        cb_faults::check_nothing_in_flight(thread, TransferKind::Write, view.fifo_rd_ptr,
                                           pages * view.fifo_page_size, index, site);
    }
    advance(view.fifo_rd_ptr, view, pages, "cb_pop_front", index, site);
    view.pages_granted -= std::min(view.pages_granted, pages);
    buffer.pages_acked += pages;
    if (buffer.space_waiters != 0) {
        wake_satisfied(thread.core(), buffer.space_waiters, buffer.num_free());
    }
}

}  // namespace tessera
