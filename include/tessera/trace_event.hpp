// SPDX-License-Identifier: Apache-2.0
// One event of a kernel thread's trace.
#pragma once

#include <cstdint>

namespace tessera {

/// Kind of an event: an API call that costs time or that another thread may wait for. Events are in
/// the order of the thread's calls. A wait is one event, whether it blocks or not. The kernel's own
/// code between calls is one kind, Instructions. A query that answers "no" is not recorded
/// (cb_pages_available_at_front); one that answers "yes" is recorded as the wait.
///
/// A comment at each kind defines the event's `detail`, `count` and `argument`. "Runs" marks kinds
/// whose equal events in a row are merged into one; `count` is then their number.
enum class EventKind : std::uint8_t {
    // Circular buffers: detail = CB index, argument = pages. Runs.
    CbReserve,
    CbPush,
    CbWait,
    CbPop,
    // Transfers: detail = TransferDetail, argument = TransferArgument. Runs.
    NocRead,
    NocWrite,
    /// detail = TransferDetail, argument = MulticastArgument, count = bytes.
    NocMulticast,
    // Words: detail = TransferDetail, argument = WordArgument, count = value. A write or multicast
    // of one word to an L1, or of up to 16 bytes to a semaphore, is recorded as a word too,
    // whatever call makes it; the event holds the first word.
    SemaphoreAdd,  ///< atomic addition to a word of an L1
    WordWrite,     ///< write of one word to an L1 (a flag or semaphore), or to DRAM
    /// detail = TransferDetail, argument = MulticastArgument with the address, count = value.
    MulticastWord,
    MulticastAdd,
    LocalWord,  ///< store to a word of own L1 that threads wait on; argument = address, count =
                ///< value
    // Waits of the issuer: detail = BarrierDetail; argument = 0. Runs.
    ReadBarrier,
    WriteBarrier,   ///< until every non-posted write is acknowledged
    WriteFlush,     ///< until the source of every write has been read
    AtomicBarrier,  ///< until every non-posted atomic is acknowledged
    // Semaphore waits: detail = WaitTest, argument = address in own L1, count = value.
    SemaphoreWait,
    /// Latches a command for later transfers: detail = TransferDetail, argument = 0. Runs.
    NocSetState,
    // Mesh links: detail = channel.
    FabricOpen,   ///< argument = MuxArgument if packets go through a mux. Runs.
    FabricClose,  ///< runs
    FabricSlot,   ///< wait for an empty slot of the sender. Runs.
    /// A packet leaves for another device: detail = channel, argument = FabricArgument,
    /// count = payload bytes.
    FabricPacket,
    /// The atomic addition carried by the packet before: argument = WordArgument, count = value.
    FabricAdd,
    FabricWord,  ///< the word that the packet before writes; arguments as of FabricAdd
    /// RISC-V instructions of a data-movement kernel's own code since the last such event
    /// (tessera/instruction_counters.hpp): count = slots, argument = InstructionArgument. The event
    /// precedes the call that follows the instructions. A small count may be carried over to the
    /// next such event.
    Instructions,
    // Compute: argument = ComputeArgument. Runs.
    UnitInit,       ///< detail = UnitInitKind; formats that it sets; cb: 0 if it names none
    MatmulTiles,    ///< one tile product
    MatmulBlock,    ///< ct × rt tile products (kt is 1 per call)
    Copy,           ///< tile from CB to DST; detail = CopyDetail
    EltwiseBinary,  ///< detail = EltwiseDetail
    Reduce,         ///< detail = ReduceDetail
    Transpose,
    // A call of these for a block has six events for each tile: DstAcquire, Tilize or Untilize,
    // DstCommit, DstWait, Pack, DstRelease.
    Tilize,    ///< one tile unpacked from rows; its copy to DST is included
    Untilize,  ///< one tile unpacked to rows; its copy to DST is included
    /// detail = SfpuDetail; argument = index into Trace::names (the name of the call, as
    /// "silu_tile"). Acts on DST only.
    Sfpu,
    /// A kernel's own function of sfpi vectors, which has no name: argument = issue slots of the
    /// vector unit (tessera/kernel/compute/sfpi_issue.hpp).
    VectorFunction,
    Pack,          ///< detail = PackDetail; one tile DST → L1
    PackUntilize,  ///< one tile DST → rows in L1
    // DST: argument = 0.
    DstAcquire,
    DstCommit,
    DstWait,
    DstRelease,
    // Zones of the kernel's author: argument = index into Trace::names.
    ZoneBegin,
    ZoneEnd,
};

/// One event of a kernel thread, in 16 bytes.
struct TraceEvent {
    EventKind kind{};
    std::uint8_t detail = 0;
    std::uint16_t site = 0;  ///< index into ThreadTrace::sites
    std::uint32_t count = 0;
    std::uint64_t argument = 0;
    friend constexpr bool operator==(const TraceEvent&, const TraceEvent&) = default;
};
static_assert(sizeof(TraceEvent) == 16);

}  // namespace tessera
