// SPDX-License-Identifier: Apache-2.0
#include "emu/core/circular_buffer.hpp"

#include <algorithm>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"

namespace tessera {
namespace {

constexpr std::uint8_t bit_of(Processor processor) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(processor));
}

void check_can_hold(const CircularBuffer& buffer, std::uint32_t index, std::uint32_t pages,
                    const char* call, CallSite site) {
    if (pages > buffer.num_pages) {
        fault(FaultCategory::Deadlock, site,
              "{}(cb {}, {}) can never return: the circular buffer has {} pages", call, index,
              pages, buffer.num_pages);
    }
}

// Wakes the threads in `waiters` whose need is met, and takes them out.
void wake_satisfied(Core& core, std::uint8_t& waiters, std::uint32_t pages) {
    for (std::uint32_t p = 0; p < kNumProcessors; ++p) {
        const auto bit = bit_of(static_cast<Processor>(p));
        if ((waiters & bit) != 0 && core.threads[p]->wait.need <= pages) {
            waiters = static_cast<std::uint8_t>(waiters & ~bit);
            core.threads[p]->wake();
        }
    }
}

// The chip resets a pointer only when it equals the limit; a step past it writes outside.
void advance(std::uint32_t& pointer, const LocalCBInterface& view, std::uint32_t pages,
             const char* call, std::uint32_t index, CallSite site) {
    pointer += pages * view.fifo_page_size;
    if (pointer == view.fifo_limit) {
        pointer -= view.fifo_size;
    } else if (pointer > view.fifo_limit) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}(cb {}, {}) steps past the end of the circular buffer: its {} pages must be a "
              "multiple of every number pushed or popped",
              call, index, pages, view.fifo_num_pages);
    }
}

bool overlaps(std::uint32_t a, std::uint32_t a_size, std::uint32_t b, std::uint32_t b_size) {
    return a < b + b_size && b < a + a_size;
}

// A page that changes hands while a transfer still reads or fills it is a race on the chip.
void check_nothing_in_flight(const KernelThread& thread, TransferKind kind, std::uint32_t address,
                             std::uint32_t size, std::uint32_t index, CallSite site) {
    for (const NocPort& port : thread.noc) {
        for (const Transfer& transfer : port.in_flight) {
            if (transfer.kind != kind || transfer.flushed_copy != nullptr ||
                !overlaps(transfer.local_address, transfer.size, address, size)) {
                continue;
            }
            const bool is_read = kind == TransferKind::Read;
            fault(FaultCategory::UndefinedBehavior, site,
                  "{}(cb {}) hands over pages that a {} issued at {}:{} is still {}: {} is missing",
                  is_read ? "cb_push_back" : "cb_pop_front", index,
                  is_read ? "noc_async_read" : "noc_async_write", transfer.site.file,
                  transfer.site.line, is_read ? "filling" : "reading",
                  is_read ? "noc_async_read_barrier"
                          : "noc_async_writes_flushed or noc_async_write_barrier");
        }
    }
}

void record(KernelThread& thread, EventKind kind, std::uint32_t index, std::uint32_t pages,
            CallSite site) {
    record_run(thread, kind, static_cast<std::uint8_t>(index), pages, site);
}

}  // namespace

CircularBuffer& configured_buffer(KernelThread& thread, std::uint32_t index, const char* call,
                                  CallSite site) {
    Core& core = thread.core();
    thread.last_call = site;
    if (index >= core.arch().l1.num_circular_buffers) {
        fault(FaultCategory::OutOfBounds, site, "{}(cb {}): a core has circular buffers 0 to {}",
              call, index, core.arch().l1.num_circular_buffers - 1);
    }
    CircularBuffer& buffer = core.circular_buffers[index];
    if (buffer.size == 0) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}(cb {}): the program configures no circular buffer {} on this core", call, index,
              index);
    }
    return buffer;
}

void reserve_back(KernelThread& thread, std::uint32_t index, std::uint32_t pages, CallSite site) {
    CircularBuffer& buffer = configured_buffer(thread, index, "cb_reserve_back", site);
    buffer.producers |= bit_of(thread.processor());
    check_can_hold(buffer, index, pages, "cb_reserve_back", site);
    record(thread, EventKind::CbReserve, index, pages, site);
    while (buffer.num_free() < pages) {
        buffer.space_waiters |= bit_of(thread.processor());
        thread.block({WaitKind::CbSpace, index, pages, site});
    }
    LocalCBInterface& view = thread.cb[index];
    view.pages_reserved = std::max(view.pages_reserved, pages);
}

void push_back(KernelThread& thread, std::uint32_t index, std::uint32_t pages, CallSite site) {
    CircularBuffer& buffer = configured_buffer(thread, index, "cb_push_back", site);
    if (pages > buffer.num_free()) {
        fault(FaultCategory::UndefinedBehavior, site,
              "cb_push_back(cb {}, {}) with {} pages free: cb_reserve_back is missing", index,
              pages, buffer.num_free());
    }
    record(thread, EventKind::CbPush, index, pages, site);
    LocalCBInterface& view = thread.cb[index];
    if (thread.noc[0].num_reads_in_flight + thread.noc[1].num_reads_in_flight != 0) {
        check_nothing_in_flight(thread, TransferKind::Read, view.fifo_wr_ptr,
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

void wait_front(KernelThread& thread, std::uint32_t index, std::uint32_t pages, CallSite site) {
    CircularBuffer& buffer = configured_buffer(thread, index, "cb_wait_front", site);
    buffer.consumers |= bit_of(thread.processor());
    check_can_hold(buffer, index, pages, "cb_wait_front", site);
    record(thread, EventKind::CbWait, index, pages, site);
    while (buffer.num_full() < pages) {
        buffer.data_waiters |= bit_of(thread.processor());
        thread.block({WaitKind::CbData, index, pages, site});
    }
    LocalCBInterface& view = thread.cb[index];
    view.pages_granted = std::max(view.pages_granted, pages);
}

void pop_front(KernelThread& thread, std::uint32_t index, std::uint32_t pages, CallSite site) {
    CircularBuffer& buffer = configured_buffer(thread, index, "cb_pop_front", site);
    if (pages > buffer.num_full()) {
        fault(FaultCategory::UndefinedBehavior, site,
              "cb_pop_front(cb {}, {}) with {} pages there: cb_wait_front is missing", index, pages,
              buffer.num_full());
    }
    record(thread, EventKind::CbPop, index, pages, site);
    LocalCBInterface& view = thread.cb[index];
    if (thread.noc[0].num_writes_in_flight + thread.noc[1].num_writes_in_flight != 0) {
        check_nothing_in_flight(thread, TransferKind::Write, view.fifo_rd_ptr,
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
