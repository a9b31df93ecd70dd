// SPDX-License-Identifier: Apache-2.0
// What data-movement threads send: commands issued, and held up by the interface.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// NocRead, NocWrite, NocMulticast, or a word or atomic over the NoC.
Progress do_transfer(ReplayState& state, EngineThread& thread);
/// NocSetState.
Progress do_set_state(ReplayState& state, EngineThread& thread);
/// ReadBarrier, WriteBarrier, WriteFlush or AtomicBarrier.
Progress do_barrier(ReplayState& state, EngineThread& thread);

/// Hands the thread's transfer over to the transport at the thread's time; `word` is the
/// FabricAdd or FabricWord that a packet carries, or nullptr.
void start_transfer(ReplayState& state, EngineThread& thread, std::uint32_t packets,
                    const TraceEvent* word);
/// What a barrier waits for.
[[nodiscard]] Pending pending_of(EventKind barrier);

}  // namespace tessera::timing
