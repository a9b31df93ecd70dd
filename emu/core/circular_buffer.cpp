// SPDX-License-Identifier: Apache-2.0
#include "emu/core/circular_buffer.hpp"

#include "emu/core/circular_buffer_calls.hpp"
#include "emu/core/fault.hpp"

namespace tessera {
namespace {

bool overlaps(std::uint32_t a, std::uint32_t a_size, std::uint32_t b, std::uint32_t b_size) {
    return a < b + b_size && b < a + a_size;
}

}  // namespace

namespace cb_faults {

void can_never_hold(const CircularBuffer& buffer, std::uint32_t index, std::uint32_t pages,
                    const char* call, CallSite site) {
    fault(FaultCategory::Deadlock, site,
          "{}(cb {}, {}) can never return: the circular buffer has {} pages", call, index, pages,
          buffer.num_pages);
}

void pushed_unreserved(const CircularBuffer& buffer, std::uint32_t index, std::uint32_t pages,
                       CallSite site) {
    fault(FaultCategory::UndefinedBehavior, site,
          "cb_push_back(cb {}, {}) with {} pages free: cb_reserve_back is missing", index, pages,
          buffer.num_free());
}

void popped_unawaited(const CircularBuffer& buffer, std::uint32_t index, std::uint32_t pages,
                      CallSite site) {
    fault(FaultCategory::UndefinedBehavior, site,
          "cb_pop_front(cb {}, {}) with {} pages there: cb_wait_front is missing", index, pages,
          buffer.num_full());
}

void stepped_past_end(const LocalCBInterface& view, std::uint32_t index, std::uint32_t pages,
                      const char* call, CallSite site) {
    fault(FaultCategory::UndefinedBehavior, site,
          "{}(cb {}, {}) steps past the end of the circular buffer: its {} pages must be a "
          "multiple of every number pushed or popped",
          call, index, pages, view.fifo_num_pages);
}

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

}  // namespace cb_faults

void refuse_buffer(const Core& core, std::uint32_t index, const char* call, CallSite site) {
    if (index >= core.arch().l1.num_circular_buffers) {
        fault(FaultCategory::OutOfBounds, site, "{}(cb {}): a core has circular buffers 0 to {}",
              call, index, core.arch().l1.num_circular_buffers - 1);
    }
    fault(FaultCategory::UndefinedBehavior, site,
          "{}(cb {}): the program configures no circular buffer {} on this core", call, index,
          index);
}

CircularBuffer& configured_buffer(KernelThread& thread, std::uint32_t index, const char* call,
                                  CallSite site) {
    return find_buffer(thread, index, call, site);
}

}  // namespace tessera
