// SPDX-License-Identifier: Apache-2.0
#include "emu/core/circular_buffer.hpp"

#include "emu/core/circular_buffer_calls.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/tolerated.hpp"
#include "emu/core/trace_recorder.hpp"

namespace tessera {
namespace {

const CircularBuffer& buffer_of(const KernelThread& thread, std::uint32_t index) {
    return thread.core().circular_buffers[index];
}

KernelThread& thread_of_lowest(Core& core, unsigned processors) {
    return *core.threads[static_cast<unsigned>(__builtin_ctz(processors))];
}

// Out of line: nearly always one thread waits on a side of a CB.
[[gnu::noinline]] void wake_each_satisfied(Core& core, std::uint8_t& waiters, std::uint32_t pages) {
    for (unsigned left = waiters; left != 0; left &= left - 1) {
        KernelThread& waiter = thread_of_lowest(core, left);
        if (waiter.wait.need <= pages) {
            waiters = static_cast<std::uint8_t>(waiters & ~waiter.processor_bit());
            waiter.thread_switch.wake_neighbour(waiter);
        }
    }
}

[[noreturn]] void refuse_index(const KernelThread& thread, std::uint32_t index, const char* call) {
    const std::uint32_t num_buffers = thread.core().arch().l1.num_circular_buffers;
    if (index >= num_buffers) {
        fault(FaultCategory::OutOfBounds, thread.last_call,
              "{}(cb {}): a core has circular buffers 0 to {}", call, index, num_buffers - 1);
    }
    fault(FaultCategory::UndefinedBehavior, thread.last_call,
          "{}(cb {}): the program configures no circular buffer {} on this core", call, index,
          index);
}

[[noreturn]] void refuse_more_than_fit(const KernelThread& thread, std::uint32_t index,
                                       std::uint32_t pages, const char* call) {
    fault(FaultCategory::Deadlock, thread.last_call,
          "{}(cb {}, {}) can never return: the circular buffer has {} pages", call, index, pages,
          buffer_of(thread, index).num_pages);
}

// A thread may push what it has reserved. Over a buffer it may push what is free: kernels publish a
// shard that is there already so.
void check_reserved(KernelThread& thread, const CircularBuffer& buffer, std::uint32_t index,
                    std::uint32_t pages) {
    if (pages > buffer.num_free()) {
        tolerate(thread, Tolerated::PagesNotReserved, FaultCategory::UndefinedBehavior,
                 thread.last_call, "cb_push_back",
                 "cb_push_back(cb {}, {}) with {} pages free: cb_reserve_back is missing", index,
                 pages, buffer.num_free());
        return;
    }
    const std::uint32_t reserved = thread.cb[index].pages_reserved;
    if (pages > reserved && !buffer.is_over_buffer) {
        tolerate(thread, Tolerated::PagesNotReserved, FaultCategory::UndefinedBehavior,
                 thread.last_call, "cb_push_back",
                 "cb_push_back(cb {}, {}), but this kernel has {} pages reserved and not pushed: "
                 "cb_reserve_back is missing or asks for too few, or this call for too many",
                 index, pages, reserved);
    }
}

// The chip's counters wrap: what was popped too early counts as pages that are there.
void check_awaited(KernelThread& thread, const CircularBuffer& buffer, std::uint32_t index,
                   std::uint32_t pages) {
    if (pages > buffer.num_full()) {
        tolerate(thread, Tolerated::PagesNotAwaited, FaultCategory::UndefinedBehavior,
                 thread.last_call, "cb_pop_front",
                 "cb_pop_front(cb {}, {}) with {} pages in it: cb_wait_front is missing", index,
                 pages, buffer.num_full());
        return;
    }
    const std::uint32_t granted = thread.cb[index].pages_granted;
    if (pages > granted && !buffer.is_over_buffer) {
        tolerate(thread, Tolerated::PagesNotAwaited, FaultCategory::UndefinedBehavior,
                 thread.last_call, "cb_pop_front",
                 "cb_pop_front(cb {}, {}), but this kernel has waited for {} pages that it has not "
                 "popped: cb_wait_front is missing or asks for too few, or this call for too many",
                 index, pages, granted);
    }
}

[[noreturn]] void refuse_step(const KernelThread& thread, std::uint32_t index, std::uint32_t pages,
                              const char* call) {
    fault(FaultCategory::UndefinedBehavior, thread.last_call,
          "{}(cb {}, {}) steps past the end of the circular buffer: its {} pages must be a "
          "multiple of every number pushed or popped",
          call, index, pages, thread.cb[index].fifo_num_pages);
}

// A page that changes hands while a transfer still reads or fills it is a race on the chip.
void check_nothing_in_flight(const KernelThread& thread, TransferKind kind, std::uint32_t address,
                             std::uint32_t size, std::uint32_t index) {
    const Transfer* transfer = find_in_flight(thread.noc, kind, address, size);
    if (transfer != nullptr) {
        const bool is_read = kind == TransferKind::Read;
        fault(FaultCategory::UndefinedBehavior, thread.last_call,
              "{}(cb {}) hands over pages that a {} issued at {}:{} is still {}: {} is missing",
              is_read ? "cb_push_back" : "cb_pop_front", index,
              is_read ? "noc_async_read" : "noc_async_write", transfer->site.file,
              transfer->site.line, is_read ? "filling" : "reading", settled_by(kind));
    }
}

// The same of a write of the kernel's own that is to fill the page, by loopback or over the NoC:
// flushed, it has left, and not arrived.
void check_own_writes_arrived(KernelThread& thread, std::uint32_t address, std::uint32_t size,
                              std::uint32_t index) {
    while (Transfer* write = find_own_write(thread.noc, thread.core(), address, size)) {
        constexpr const char* kFilling =
            "cb_push_back(cb {}) hands over pages that a write to this core issued at {}:{} is "
            "still filling: noc_async_write_barrier is missing";
        if (write->flushed_copy == nullptr) {
            fault(FaultCategory::UndefinedBehavior, thread.last_call, kFilling, index,
                  write->site.file, write->site.line);
        }
        tolerate(thread, Tolerated::PushedBeforeArrival, FaultCategory::UndefinedBehavior,
                 thread.last_call, "cb_push_back", kFilling, index, write->site.file,
                 write->site.line);
        // A flushed write is on its way and ahead of a reader that only now sees the pages.
        deliver(*write);
        write->is_awaited = true;
    }
}

// One test for "no such CB" and "not configured": places beyond the architecture's number never
// are.
CircularBuffer& find_buffer(KernelThread& thread, std::uint32_t index, const char* call) {
    Core& core = thread.core();
    if (index >= kMaxCircularBuffers || core.circular_buffers[index].size == 0) {
        refuse_index(thread, index, call);
    }
    return core.circular_buffers[index];
}

CircularBuffer& buffer_for_wait(KernelThread& thread, std::uint32_t index, std::uint32_t pages,
                                const char* call) {
    // Refused at once, not as a deadlock of the whole launch: this line is the cause.
    CircularBuffer& buffer = find_buffer(thread, index, call);
    if (pages > buffer.num_pages) {
        refuse_more_than_fit(thread, index, pages, call);
    }
    return buffer;
}

// The chip resets a pointer only when it equals the limit; a step past it writes outside.
std::uint32_t end_of_step(const KernelThread& thread, std::uint32_t index, std::uint32_t begin,
                          std::uint32_t pages, const char* call) {
    const LocalCBInterface& view = thread.cb[index];
    const std::uint32_t end = begin + pages * view.fifo_page_size;
    if (end > view.fifo_limit) {
        refuse_step(thread, index, pages, call);
    }
    return end;
}

void record(KernelThread& thread, EventKind kind, std::uint32_t index, std::uint32_t pages) {
    record_run(thread, kind, static_cast<std::uint8_t>(index), pages, thread.last_call);
}

}  // namespace

void wake_satisfied(Core& core, std::uint8_t& waiters, std::uint32_t pages) {
    // Not std::has_single_bit: without a popcount instruction GCC calls for one.
    if ((waiters & (waiters - 1U)) != 0) [[unlikely]] {
        return wake_each_satisfied(core, waiters, pages);
    }
    KernelThread& waiter = thread_of_lowest(core, waiters);
    if (waiter.wait.need <= pages) {
        waiters = 0;
        waiter.thread_switch.wake_neighbour(waiter);
    }
}

namespace cb_calls {

void reserve_back(KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    CircularBuffer& buffer = buffer_for_wait(thread, index, pages, "cb_reserve_back");
    record(thread, EventKind::CbReserve, index, pages);
    cb_unchecked::reserve(thread, buffer, index, pages);
}

void push_back(KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_push_back");
    check_reserved(thread, buffer, index, pages);
    record(thread, EventKind::CbPush, index, pages);
    LocalCBInterface& view = thread.cb[index];
    if (has_arrivals_in_flight(thread)) {
        const std::uint32_t size = pages * view.fifo_page_size;
        check_nothing_in_flight(thread, TransferKind::Read, view.fifo_wr_ptr, size, index);
        check_own_writes_arrived(thread, view.fifo_wr_ptr, size, index);
    }
    const auto end = end_of_step(thread, index, view.fifo_wr_ptr, pages, "cb_push_back");
    cb_unchecked::push(thread, buffer, view, end, pages);
}

void wait_front(KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    CircularBuffer& buffer = buffer_for_wait(thread, index, pages, "cb_wait_front");
    record(thread, EventKind::CbWait, index, pages);
    cb_unchecked::wait(thread, buffer, index, pages);
}

void pop_front(KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    CircularBuffer& buffer = find_buffer(thread, index, "cb_pop_front");
    check_awaited(thread, buffer, index, pages);
    record(thread, EventKind::CbPop, index, pages);
    LocalCBInterface& view = thread.cb[index];
    if (has_writes_in_flight(thread)) {
        check_nothing_in_flight(thread, TransferKind::Write, view.fifo_rd_ptr,
                                pages * view.fifo_page_size, index);
    }
    const auto end = end_of_step(thread, index, view.fifo_rd_ptr, pages, "cb_pop_front");
    cb_unchecked::pop(thread, buffer, view, end, pages);
}

}  // namespace cb_calls

CircularBuffer& configured_buffer(KernelThread& thread, std::uint32_t index, const char* call,
                                  CallSite site) {
    thread.last_call = site;
    return find_buffer(thread, index, call);
}

}  // namespace tessera
