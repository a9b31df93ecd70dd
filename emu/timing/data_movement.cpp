// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/data_movement.hpp"

#include "emu/timing/fabric.hpp"
#include "emu/timing/transfers.hpp"
#include "emu/timing/words.hpp"
#include "tessera/errors.hpp"

namespace tessera::timing {

Progress do_data_movement(ReplayState& state, EngineThread& thread) {
    switch (thread.event().kind) {
        case EventKind::NocRead:
        case EventKind::NocWrite:
        case EventKind::NocMulticast:
        case EventKind::SemaphoreAdd:
        case EventKind::WordWrite:
        case EventKind::MulticastWord:
        case EventKind::MulticastAdd:
            return do_transfer(state, thread);
        case EventKind::LocalWord:
            return do_local_word(state, thread);
        case EventKind::ReadBarrier:
        case EventKind::WriteBarrier:
        case EventKind::WriteFlush:
        case EventKind::AtomicBarrier:
            return do_barrier(state, thread);
        case EventKind::SemaphoreWait:
            return do_semaphore_wait(state, thread);
        case EventKind::NocSetState:
            return do_set_state(state, thread);
        case EventKind::FabricOpen:
        case EventKind::FabricClose:
            return do_connection(state, thread);
        case EventKind::FabricSlot:
            return do_fabric_slot(state, thread);
        case EventKind::FabricPacket:
            return do_fabric_packet(state, thread);
        case EventKind::FabricAdd:
        case EventKind::FabricWord:
            return Progress::Finished;  // went with its packet
        default:
            throw UsageError(
                fmt::format("trace: event {} of kind {} is none of a data-movement "
                            "kernel",
                            thread.next, static_cast<unsigned>(thread.event().kind)));
    }
}

}  // namespace tessera::timing
