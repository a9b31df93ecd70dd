// SPDX-License-Identifier: Apache-2.0
// Replay of one event, with a function for each group of kinds, and of a transfer's milestone,
// which may end a wait. engine.cpp calls them.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Replays CbReserve, CbPush, CbWait or CbPop (circular_buffers.cpp).
Progress do_cb_call(ReplayState& state, EngineThread& thread);

/// Replays the part of a compute event that `thread` executes; CB calls and zones excepted
/// (compute_units.cpp).
/// Precondition   the event's kind is one that the thread's unit executes.
Progress do_compute(ReplayState& state, EngineThread& thread);

/// Returns whether `role` executes events of the kind: a compute kernel has one list of events, and
/// each of its three threads executes a part of them. Threads of data movement execute all.
[[nodiscard]] bool is_executed_by(TimelineThread role, EventKind kind) noexcept;
/// Returns the call of the matrix unit that an event of a compute kernel makes.
[[nodiscard]] FpuCall call_of(const Costs& costs, const TraceEvent& event);
/// Returns the activity of a thread that issues transfers of the kind.
[[nodiscard]] Activity issue_activity(EventKind kind) noexcept;
/// Returns the RISC's time for one command of an event's transfers.
[[nodiscard]] Millicycles issue_cost(const RiscCost& risc, const TraceEvent& event);
/// Returns the number of transfers of an event. A trace merges equal reads and writes into one
/// event with a count; the count of every other kind is a value.
[[nodiscard]] std::uint32_t num_transfers(const TraceEvent& event) noexcept;

/// Replays NocRead, NocWrite, NocMulticast, or a word or atomic over the NoC (transfers.cpp).
Progress do_transfer(ReplayState& state, EngineThread& thread);
/// Replays NocSetState.
Progress do_set_state(ReplayState& state, EngineThread& thread);
/// Replays ReadBarrier, WriteBarrier, WriteFlush or AtomicBarrier.
Progress do_barrier(ReplayState& state, EngineThread& thread);
/// Starts the thread's transfer in the transport, at the thread's time. `word` is the FabricAdd or
/// FabricWord that a packet carries, or nullptr.
void start_transfer(ReplayState& state, EngineThread& thread, std::uint32_t packets,
                    const TraceEvent* word);
/// Stores the engine's record of a transfer that the transport has started.
void note_in_flight(ReplayState& state, TransferId id, const InFlight& transfer);
/// Returns the kind of pending transfers that a barrier waits for.
[[nodiscard]] Pending pending_of(EventKind barrier);

/// Replays LocalWord, the thread's store to its own L1 (words.cpp).
Progress do_local_word(ReplayState& state, EngineThread& thread);
/// Replays SemaphoreWait.
Progress do_semaphore_wait(ReplayState& state, EngineThread& thread);
/// Returns a word of a core; its value is 0 if nothing was stored there.
Word& word_at(ReplayState& state, std::uint32_t core, std::uint32_t address);
/// Effect of a word that arrives from another core.
enum class WordChange : std::uint8_t { Add, Write };
/// Changes a word of a core and wakes the threads whose wait that ends. Does nothing if no kernel
/// runs there.
void change_word(ReplayState& state, std::uint32_t core, std::uint32_t address, WordChange change,
                 std::uint32_t value, const WaitCause& cause);

/// Replays FabricOpen or FabricClose (fabric.cpp).
Progress do_connection(ReplayState& state, EngineThread& thread);
/// Replays FabricSlot: blocks the thread until its sender has a free slot.
Progress do_fabric_slot(ReplayState& state, EngineThread& thread);
/// Replays FabricPacket with the FabricAdd or FabricWord behind it, if it carries one.
/// Errors   UsageError if that word is missing.
Progress do_fabric_packet(ReplayState& state, EngineThread& thread);
/// Returns the index into ReplayState::senders of the sender to a device's link.
/// Errors   UsageError if a device has no such channel.
[[nodiscard]] std::uint32_t sender_number(std::uint32_t device, std::uint32_t channel);
/// Returns the index of the sender that has taken a packet.
[[nodiscard]] std::uint32_t sender_of(const ReplayState& state, const InFlight& packet);
/// Changes the word that a packet carries, on a device where the packet is in place.
void deliver_word(ReplayState& state, const InFlight& packet, std::uint32_t device,
                  const WaitCause& cause);

/// Applies the milestone that a stage of a transfer has reached: updates semaphore words, releases
/// barriers, frees NIU and sender slots (completion.cpp).
void apply_milestone(ReplayState& state, TransferId id, const StageResult& result);

}  // namespace tessera::timing
