// SPDX-License-Identifier: Apache-2.0
// Implements the four CB calls of a kernel thread. They are inlined into the kernel API, because
// kernels make several of them for each tile: before that, they took 60 % of the host time of
// a page's hand-over.
#pragma once

#include <algorithm>

#include "emu/core/circular_buffer.hpp"
#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"

namespace tessera {

/// Wakes the threads in `waiters` that need at most `pages`, and removes them from the set.
void wake_satisfied(Core& core, std::uint8_t& waiters, std::uint32_t pages);

/// CB calls without checks. The caller has checked the arguments.
namespace cb_unchecked {

/// Returns a - b, or 0 if b is larger.
[[nodiscard]] constexpr std::uint32_t less(std::uint32_t a, std::uint32_t b) noexcept {
    return a > b ? a - b : 0;
}

inline void reserve(KernelThread& thread, CircularBuffer& buffer, std::uint32_t index,
                    std::uint32_t pages) {
    buffer.producers |= thread.processor_bit();
    LocalCBInterface& view = thread.cb[index];
    view.pages_reserved = std::max(view.pages_reserved, pages);
    if (buffer.num_free() < pages) {
        buffer.space_waiters |= thread.processor_bit();
        thread.block({WaitKind::CbSpace, index, pages});
    }
}

inline void wait(KernelThread& thread, CircularBuffer& buffer, std::uint32_t index,
                 std::uint32_t pages) {
    buffer.consumers |= thread.processor_bit();
    LocalCBInterface& view = thread.cb[index];
    view.pages_granted = std::max(view.pages_granted, pages);
    if (buffer.num_full() < pages) {
        buffer.data_waiters |= thread.processor_bit();
        thread.block({WaitKind::CbData, index, pages});
    }
}

/// Hands pages to the consumer. `end` is the L1 address after the last of them, at most the limit
/// of the view; pop() has the same parameter.
inline void push(KernelThread& thread, CircularBuffer& buffer, LocalCBInterface& view,
                 std::uint32_t end, std::uint32_t pages) {
    view.fifo_wr_ptr = end == view.fifo_limit ? end - view.fifo_size : end;
    view.fifo_wr_tile_ptr = 0;
    view.pages_reserved = less(view.pages_reserved, pages);
    buffer.pages_received += pages;
    if (buffer.data_waiters != 0) {
        wake_satisfied(thread.core(), buffer.data_waiters, buffer.num_full());
    }
}

inline void pop(KernelThread& thread, CircularBuffer& buffer, LocalCBInterface& view,
                std::uint32_t end, std::uint32_t pages) {
    view.fifo_rd_ptr = end == view.fifo_limit ? end - view.fifo_size : end;
    view.pages_granted = less(view.pages_granted, pages);
    buffer.pages_acked += pages;
    if (buffer.space_waiters != 0) {
        wake_satisfied(thread.core(), buffer.space_waiters, buffer.num_free());
    }
}

}  // namespace cb_unchecked

/// CB calls with all checks. They record trace events and check the thread's transfers in flight.
/// Events and faults have the source position of the thread's last call.
namespace cb_calls {
void reserve_back(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void push_back(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void wait_front(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void pop_front(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
}  // namespace cb_calls

/// Returns whether a call takes the slow path: `pages` is 0 or above `limit`, or the CB is not
/// configured (its limit is 0).
[[nodiscard]] constexpr bool is_beyond(std::uint32_t pages, std::uint32_t limit) noexcept {
    return pages - 1 >= limit;
}

/// Implement cb_reserve_back, cb_push_back, cb_wait_front and cb_pop_front. Reserve and wait are
/// cumulative. They block in their last statement, until a pop or push satisfies them. Push and pop
/// never block.
/// Fast path: untraced calls that pass all checks run inline without a stack frame; other calls go
/// to cb_calls.
/// Errors   KernelFault{UndefinedBehavior} if the CB is not configured on the core, if more pages
///          are pushed than this thread has reserved or popped than it has waited for, or if a
///          pointer steps past the limit instead of onto it; {Deadlock} if a thread reserves or
///          waits for more pages than the CB has. A CB over a buffer of the program may hold data
///          that no kernel pushes: a push needs free pages only, and a pop needs full pages only.
/// Source   tt-metal tt_metal/hw/inc/api/dataflow/dataflow_api.h.
[[gnu::always_inline]] inline void reserve_back(KernelThread& thread, std::uint32_t index,
                                                std::uint32_t pages, CallSite site) {
    thread.note_call(site);
    CircularBuffer* buffers = thread.core().circular_buffers.data();
    if (thread.recorder || index >= kMaxCircularBuffers ||
        is_beyond(pages, buffers[index].num_pages)) {
        return cb_calls::reserve_back(thread, index, pages);
    }
    cb_unchecked::reserve(thread, buffers[index], index, pages);
}

[[gnu::always_inline]] inline void push_back(KernelThread& thread, std::uint32_t index,
                                             std::uint32_t pages, CallSite site) {
    thread.note_call(site);
    CircularBuffer* buffers = thread.core().circular_buffers.data();
    if (thread.recorder || has_arrivals_in_flight(thread) || index >= kMaxCircularBuffers ||
        is_beyond(pages, std::min(buffers[index].num_free(), thread.cb[index].pages_reserved))) {
        return cb_calls::push_back(thread, index, pages);
    }
    LocalCBInterface& view = thread.cb[index];
    const std::uint32_t end = view.fifo_wr_ptr + pages * view.fifo_page_size;
    if (end > view.fifo_limit) {
        return cb_calls::push_back(thread, index, pages);
    }
    cb_unchecked::push(thread, buffers[index], view, end, pages);
}

[[gnu::always_inline]] inline void wait_front(KernelThread& thread, std::uint32_t index,
                                              std::uint32_t pages, CallSite site) {
    thread.note_call(site);
    CircularBuffer* buffers = thread.core().circular_buffers.data();
    if (thread.recorder || index >= kMaxCircularBuffers ||
        is_beyond(pages, buffers[index].num_pages)) {
        return cb_calls::wait_front(thread, index, pages);
    }
    cb_unchecked::wait(thread, buffers[index], index, pages);
}

[[gnu::always_inline]] inline void pop_front(KernelThread& thread, std::uint32_t index,
                                             std::uint32_t pages, CallSite site) {
    thread.note_call(site);
    CircularBuffer* buffers = thread.core().circular_buffers.data();
    if (thread.recorder || has_writes_in_flight(thread) || index >= kMaxCircularBuffers ||
        is_beyond(pages, std::min(buffers[index].num_full(), thread.cb[index].pages_granted))) {
        return cb_calls::pop_front(thread, index, pages);
    }
    LocalCBInterface& view = thread.cb[index];
    const std::uint32_t end = view.fifo_rd_ptr + pages * view.fifo_page_size;
    if (end > view.fifo_limit) {
        return cb_calls::pop_front(thread, index, pages);
    }
    cb_unchecked::pop(thread, buffers[index], view, end, pages);
}

}  // namespace tessera
