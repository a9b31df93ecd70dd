// SPDX-License-Identifier: Apache-2.0
#include "emu/core/circular_buffer.hpp"

#include "emu/core/circular_buffer_calls.hpp"
#include "emu/core/fault.hpp"

namespace tessera {
namespace {

bool overlaps(std::uint32_t a, std::uint32_t a_size, std::uint32_t b, std::uint32_t b_size) {
    return a < b + b_size && b < a + a_size;
}

const CircularBuffer& buffer_of(const KernelThread& thread, std::uint32_t index) {
    return thread.core().circular_buffers[index];
}

KernelThread& thread_of_lowest(Core& core, unsigned processors) {
    return *core.threads[static_cast<unsigned>(__builtin_ctz(processors))];
}

[[gnu::noinline]] void wake_each_satisfied(Core& core, std::uint8_t& waiters, std::uint32_t pages) {
    for (unsigned left = waiters; left != 0; left &= left - 1) {
        KernelThread& waiter = thread_of_lowest(core, left);
        if (waiter.wait.need <= pages) {
            waiters = static_cast<std::uint8_t>(waiters & ~bit_of(waiter.processor()));
            waiter.thread_switch.wake_neighbour(waiter);
        }
    }
}

}  // namespace

namespace cb_faults {

void not_configured(const KernelThread& thread, std::uint32_t index, const char* call) {
    const std::uint32_t num_buffers = thread.core().arch().l1.num_circular_buffers;
    if (index >= num_buffers) {
        fault(FaultCategory::OutOfBounds, thread.last_call,
              "{}(cb {}): a core has circular buffers 0 to {}", call, index, num_buffers - 1);
    }
    fault(FaultCategory::UndefinedBehavior, thread.last_call,
          "{}(cb {}): the program configures no circular buffer {} on this core", call, index,
          index);
}

void can_never_hold(const KernelThread& thread, std::uint32_t index, std::uint32_t pages,
                    const char* call) {
    fault(FaultCategory::Deadlock, thread.last_call,
          "{}(cb {}, {}) can never return: the circular buffer has {} pages", call, index, pages,
          buffer_of(thread, index).num_pages);
}

void pushed_unreserved(const KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    fault(FaultCategory::UndefinedBehavior, thread.last_call,
          "cb_push_back(cb {}, {}) with {} pages free: cb_reserve_back is missing", index, pages,
          buffer_of(thread, index).num_free());
}

void popped_unawaited(const KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    fault(FaultCategory::UndefinedBehavior, thread.last_call,
          "cb_pop_front(cb {}, {}) with {} pages there: cb_wait_front is missing", index, pages,
          buffer_of(thread, index).num_full());
}

void stepped_past_end(const KernelThread& thread, const LocalCBInterface& view, std::uint32_t pages,
                      const char* call) {
    const auto index = &view - thread.cb.data();
    fault(FaultCategory::UndefinedBehavior, thread.last_call,
          "{}(cb {}, {}) steps past the end of the circular buffer: its {} pages must be a "
          "multiple of every number pushed or popped",
          call, index, pages, view.fifo_num_pages);
}

void check_nothing_in_flight(const KernelThread& thread, TransferKind kind, std::uint32_t address,
                             std::uint32_t size, std::uint32_t index) {
    for (const NocPort& port : thread.noc) {
        for (const Transfer& transfer : port.in_flight) {
            if (transfer.kind != kind || transfer.flushed_copy != nullptr ||
                !overlaps(transfer.local_address, transfer.size, address, size)) {
                continue;
            }
            const bool is_read = kind == TransferKind::Read;
            fault(FaultCategory::UndefinedBehavior, thread.last_call,
                  "{}(cb {}) hands over pages that a {} issued at {}:{} is still {}: {} is missing",
                  is_read ? "cb_push_back" : "cb_pop_front", index,
                  is_read ? "noc_async_read" : "noc_async_write", transfer.site.file,
                  transfer.site.line, is_read ? "filling" : "reading",
                  is_read ? "noc_async_read_barrier"
                          : "noc_async_writes_flushed or noc_async_write_barrier");
        }
    }
}

}  // namespace cb_faults

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

void reserve_back_watched(KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    reserve_back_as<Watch::On>(thread, index, pages);
}

void push_back_watched(KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    push_back_as<Watch::On>(thread, index, pages);
}

void wait_front_watched(KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    wait_front_as<Watch::On>(thread, index, pages);
}

void pop_front_watched(KernelThread& thread, std::uint32_t index, std::uint32_t pages) {
    pop_front_as<Watch::On>(thread, index, pages);
}

CircularBuffer& configured_buffer(KernelThread& thread, std::uint32_t index, const char* call,
                                  CallSite site) {
    thread.last_call = site;
    return find_buffer(thread, index, call);
}

}  // namespace tessera
