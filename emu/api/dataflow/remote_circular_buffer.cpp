// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/remote_circular_buffer.hpp"

#include <algorithm>

#include "emu/core/circular_buffer.hpp"
#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"

namespace tessera::kernel {

RemoteBufferEnd& remote_buffer_end(std::uint32_t cb_id, CallSite site) {
    auto& ends = current_thread().remote_buffers;
    const auto found = std::ranges::find(ends, cb_id, &RemoteBuffer::index);
    if (found == ends.end()) {
        fault(
            FaultCategory::UndefinedBehavior, site,
            "cb {} is not a remote circular buffer of this core; allowed: a remote_index that the "
            "host program gives this core with CreateCircularBuffer",
            cb_id);
    }
    return found->end;
}

void move_local_buffer(std::uint32_t cb_id, CallSite site) {
    KernelThread& thread = current_thread();
    CircularBuffer& buffer = configured_buffer(thread, cb_id, "align_local_cbs_to_remote_cb", site);
    // The thread's view has bytes, whatever units the kernel's text has.
    const LocalCBInterface& view = thread.cb[cb_id];
    buffer.size = view.fifo_size;
    buffer.num_pages = view.fifo_num_pages;
    buffer.address = view.fifo_limit - view.fifo_size;
}

}  // namespace tessera::kernel
