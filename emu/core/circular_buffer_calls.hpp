// SPDX-License-Identifier: Apache-2.0
// Implements the four CB calls of a kernel thread, inlined into the kernel API: they are made
// several times a tile, and what they cost is what handing a page over costs.
#pragma once

#include <algorithm>

#include "emu/core/circular_buffer.hpp"
#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"

namespace tessera {

/// Wakes the threads in `waiters` that need at most `pages`, and removes them from the set.
void wake_satisfied(Core& core, std::uint8_t& waiters, std::uint32_t pages);

/// The calls without their checks, for callers that have made them.
namespace cb_unchecked {

/// a - b, 0 where b is larger.
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

/// `end`: where the pages end that change hands, on the limit at most.
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

/// The calls with every check, with what they add to a trace, and with a look at the thread's
/// transfers in flight. Their site is the thread's last call.
namespace cb_calls {
void reserve_back(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void push_back(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void wait_front(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
void pop_front(KernelThread& thread, std::uint32_t index, std::uint32_t pages);
}  // namespace cb_calls

/// True for the slow path: `pages` is 0 or above `limit`, or the CB is not configured (limit 0).
[[nodiscard]] constexpr bool is_beyond(std::uint32_t pages, std::uint32_t limit) noexcept {
    return pages - 1 >= limit;
}

/// Reserve and wait block as their last act, until push or pop has found the need met; both are
/// cumulative. Push and pop never block.
/// Fast path: untraced calls that pass every check run inline without a frame; the rest go to
/// cb_calls. The four calls were 60 % of handing a page over.
/// Errors   KernelFault{UndefinedBehavior} if the CB is not configured on the core, if more pages
///          are pushed than this thread has reserved or popped than it has waited for, or if a
///          pointer steps past the limit instead of onto it; {Deadlock} if more pages are asked for
///          than the CB has. A CB over a buffer of the program holds data that nobody pushes:
///          there pages are pushed that are free, and popped that are there.
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
