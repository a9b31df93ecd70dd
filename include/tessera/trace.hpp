// SPDX-License-Identifier: Apache-2.0
// What the kernel threads of a launch did, in order: the seam between running kernels and timing
// them. A trace holds no time, and is the same bytes at any number of host threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core_coord.hpp"
#include "tessera/data_format.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/processor.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// One kind per act of a thread, in the order of its calls, each where the thread calls it: waits
/// once, whether they block or not. What the kernel's own code does in between is one kind,
/// Instructions. Not recorded: questions answered with no (cb_pages_available_at_front; a yes is
/// the wait that it ends).
///
/// One kind per act that costs time or makes another thread wait. What `detail`, `count` and
/// `argument` of the event mean stands beside each kind; "runs" marks kinds of which equal events
/// in a row are merged, `count` being their number.
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
    // Words: detail = TransferDetail, argument = WordArgument, count = value. Writes and multicasts
    // of one word to an L1, and of up to 16 bytes to a semaphore, count as words too, whatever call
    // they are made by: the first word is kept.
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
    FabricOpen,   ///< argument = MuxArgument where a mux lies between. Runs.
    FabricClose,  ///< runs
    FabricSlot,   ///< wait for an empty slot of the sender. Runs.
    /// A packet leaves for another device: detail = channel, argument = FabricArgument,
    /// count = payload bytes.
    FabricPacket,
    /// The atomic addition carried by the packet before: argument = WordArgument, count = value.
    FabricAdd,
    FabricWord,  ///< as FabricAdd, for a word that the packet before writes
    /// RISC-V instructions of a data-movement kernel's own since the last such event, as far as
    /// they are counted (tessera/instruction_counters.hpp): count = slots, argument =
    /// InstructionArgument. Stands before the call that came after them; a few are held back for
    /// the
    /// next.
    Instructions,
    // Compute: argument = ComputeArgument. Runs.
    UnitInit,       ///< detail = UnitInitKind; formats as set by it; cb: 0 where it names none
    MatmulTiles,    ///< one tile product
    MatmulBlock,    ///< ct × rt tile products (kt is 1 per call)
    Copy,           ///< tile from CB to DST
    EltwiseBinary,  ///< detail = EltwiseDetail
    Reduce,         ///< detail = ReduceDim
    Transpose,
    // Blocks of these hand DST over tile by tile: DstAcquire, Tilize or Untilize, DstCommit,
    // DstWait, Pack, DstRelease.
    Tilize,    ///< one tile unpacked from rows; its copy to DST is included
    Untilize,  ///< one tile unpacked to rows; its copy to DST is included
    /// detail = SfpuDetail; argument = index into Trace::names (the name of the call, as
    /// "silu_tile"). Acts on DST only.
    Sfpu,
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

/// One act of one kernel thread.
struct TraceEvent {
    EventKind kind{};
    std::uint8_t detail = 0;
    std::uint16_t site = 0;  ///< index into ThreadTrace::sites
    std::uint32_t count = 0;
    std::uint64_t argument = 0;
    friend constexpr bool operator==(const TraceEvent&, const TraceEvent&) = default;
};
static_assert(sizeof(TraceEvent) == 16);

/// Bits of `detail` of transfers.
struct TransferDetail {
    std::uint8_t bits = 0;

    static constexpr std::uint8_t kNoc = 1;        ///< NoC 1, else NoC 0
    static constexpr std::uint8_t kPosted = 2;     ///< no acknowledgement
    static constexpr std::uint8_t kWithState = 4;  ///< uses a latched command
    static constexpr std::uint8_t kOnePacket = 8;  ///< *_one_packet call: no split loop
    static constexpr std::uint8_t kLinked = 16;    ///< multicast keeps its path for the next
    static constexpr std::uint8_t kLoopback = 32;  ///< multicast reaches the sender too
    static constexpr std::uint8_t kHasId = 64;     ///< argument holds a transaction id
    static constexpr std::uint8_t kPage = 128;     ///< far address worked out from a page's number
    [[nodiscard]] constexpr std::uint32_t noc() const noexcept { return bits & kNoc; }
    [[nodiscard]] constexpr bool has(std::uint8_t bit) const noexcept { return (bits & bit) != 0; }
};

/// A place that answers on the NoC: a worker core's L1 or a DRAM bank.
struct NocPlace {
    std::uint16_t bits = 0;

    static constexpr std::uint16_t kDramBit = 0x8000;
    static constexpr NocPlace worker(CoreCoord logical) noexcept {
        return {static_cast<std::uint16_t>(logical.y << 8U | logical.x)};
    }
    static constexpr NocPlace dram(std::uint32_t bank) noexcept {
        return {static_cast<std::uint16_t>(kDramBit | bank)};
    }
    [[nodiscard]] constexpr bool is_dram() const noexcept { return (bits & kDramBit) != 0; }
    [[nodiscard]] constexpr std::uint32_t bank() const noexcept { return bits & 0x7FFFU; }
    [[nodiscard]] constexpr CoreCoord core() const noexcept {
        return {bits & 0xFFU, (bits >> 8U) & 0x7FU};
    }
    friend constexpr bool operator==(NocPlace, NocPlace) = default;
};

/// Argument of NocRead and NocWrite.
struct TransferArgument {
    std::uint32_t bytes = 0;
    NocPlace place;
    std::uint8_t transaction_id = 0;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{bytes} | (std::uint64_t{place.bits} << 32U) |
               (std::uint64_t{transaction_id} << 48U);
    }
    static constexpr TransferArgument unpack(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word),
                {static_cast<std::uint16_t>(word >> 32U)},
                static_cast<std::uint8_t>(word >> 48U)};
    }
};

/// Argument of multicasts: rectangle of logical worker cores, both corners included, and for words
/// the address in each L1, for NocMulticast the transaction id in its place.
struct MulticastArgument {
    CoreCoord start;
    CoreCoord end;
    std::uint32_t address = 0;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{address} | (std::uint64_t{start.x} << 32U) |
               (std::uint64_t{start.y} << 40U) | (std::uint64_t{end.x} << 48U) |
               (std::uint64_t{end.y} << 56U);
    }
    static constexpr MulticastArgument unpack(std::uint64_t word) noexcept {
        const auto byte = [word](unsigned shift) {
            return static_cast<std::uint32_t>(word >> shift) & 0xFFU;
        };
        return {{byte(32), byte(40)}, {byte(48), byte(56)}, static_cast<std::uint32_t>(word)};
    }
};

/// Argument of words: which word of which L1 (or DRAM bank, where the address is not kept).
struct WordArgument {
    std::uint32_t address = 0;
    NocPlace place;
    std::uint16_t device = 0;  ///< of FabricAdd; the issuer's own for NoC words

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{address} | (std::uint64_t{place.bits} << 32U) |
               (std::uint64_t{device} << 48U);
    }
    static constexpr WordArgument unpack(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word),
                {static_cast<std::uint16_t>(word >> 32U)},
                static_cast<std::uint16_t>(word >> 48U)};
    }
};

/// Argument of barriers: all transfers on the NoC, or those with one transaction id.
struct BarrierDetail {
    static constexpr std::uint8_t kNoc = 1;
    static constexpr std::uint8_t kHasId = 2;  ///< transaction id in bits 2 to 7
    std::uint8_t bits = 0;
    [[nodiscard]] constexpr std::uint32_t noc() const noexcept { return bits & kNoc; }
    [[nodiscard]] constexpr bool has_id() const noexcept { return (bits & kHasId) != 0; }
    [[nodiscard]] constexpr std::uint32_t id() const noexcept { return bits >> 2U; }
};

/// What a semaphore wait tests; `count` of the event is the value compared with.
enum class WaitTest : std::uint8_t { Equal, AtLeast };

/// Argument of FabricOpen: the channel of a mux that takes the thread's packets to the link. 0
/// where the thread hands them to the link's sender itself.
struct MuxArgument {
    NocPlace place;  ///< the mux's core
    std::uint8_t channel = 0;
    std::uint8_t num_channels = 0;  ///< of the mux
    std::uint8_t num_buffers = 0;   ///< of the channel; at least 1

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{place.bits} | (std::uint64_t{channel} << 16U) |
               (std::uint64_t{num_channels} << 24U) | (std::uint64_t{num_buffers} << 32U);
    }
    static constexpr MuxArgument unpack(std::uint64_t word) noexcept {
        return {{static_cast<std::uint16_t>(word)},
                static_cast<std::uint8_t>(word >> 16U),
                static_cast<std::uint8_t>(word >> 24U),
                static_cast<std::uint8_t>(word >> 32U)};
    }
};

/// Argument of FabricPacket: where its payload lands.
struct FabricArgument {
    std::uint16_t device = 0;  ///< destination (the last one of a line multicast)
    NocPlace place;            ///< of the first part
    std::uint8_t hops = 0;
    bool is_multicast = false;        ///< delivered at devices on the way too
    bool has_add = false;             ///< the packet's FabricAdd or FabricWord follows
    bool is_fused = false;            ///< what follows is an addition behind the packet's payload
    bool flushes = false;             ///< an addition waits until what was written before it is
    std::uint8_t multicast_from = 0;  ///< hops to the first device of a multicast
    std::uint8_t more_parts = 0;      ///< parts of the payload that land elsewhere
    std::uint8_t east = 0;       ///< devices east of each that it is written on, written as well
    std::uint8_t west = 0;       ///< and to the west of it
    bool is_mesh_route = false;  ///< its header is that of a fabric of two dimensions

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{device} | (std::uint64_t{place.bits} << 16U) |
               (std::uint64_t{hops} << 32U) | (std::uint64_t{is_multicast} << 40U) |
               (std::uint64_t{has_add} << 41U) | (std::uint64_t{is_fused} << 42U) |
               (std::uint64_t{flushes} << 43U) | (std::uint64_t{multicast_from} << 44U) |
               (std::uint64_t{more_parts} << 52U) | (std::uint64_t{east} << 54U) |
               (std::uint64_t{west} << 59U) | (std::uint64_t{is_mesh_route} << 39U);
    }
    static constexpr FabricArgument unpack(std::uint64_t word) noexcept {
        const auto bit = [word](std::uint32_t at) { return (word >> at & 1U) != 0; };
        return {static_cast<std::uint16_t>(word),
                {static_cast<std::uint16_t>(word >> 16U)},
                static_cast<std::uint8_t>(word >> 32U & 0x7F),
                bit(40),
                bit(41),
                bit(42),
                bit(43),
                static_cast<std::uint8_t>(word >> 44U),
                static_cast<std::uint8_t>(word >> 52U & 3U),
                static_cast<std::uint8_t>(word >> 54U & kMostBranchHops),
                static_cast<std::uint8_t>(word >> 59U & kMostBranchHops),
                bit(39)};
    }

    static constexpr std::uint32_t kMostBranchHops = 31;
};

/// Argument of Instructions (tessera/instruction_counters.hpp says what its fields are). More than
/// they hold takes several events.
struct InstructionArgument {
    std::uint32_t load_waits = 0;     ///< 14 bits
    std::uint32_t store_waits = 0;    ///< 11 bits
    std::uint32_t products = 0;       ///< 8 bits
    std::uint32_t dividend_bits = 0;  ///< 11 bits
    std::uint32_t calls = 0;          ///< of the API in the meantime, 20 bits

    static constexpr std::uint32_t kMostLoadWaits = (1U << 14U) - 1;
    static constexpr std::uint32_t kMostStoreWaits = (1U << 11U) - 1;
    static constexpr std::uint32_t kMostProducts = (1U << 8U) - 1;
    static constexpr std::uint32_t kMostDividendBits = (1U << 11U) - 1;
    static constexpr std::uint32_t kMostCalls = (1U << 20U) - 1;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{load_waits} | (std::uint64_t{store_waits} << 14U) |
               (std::uint64_t{products} << 25U) | (std::uint64_t{dividend_bits} << 33U) |
               (std::uint64_t{calls} << 44U);
    }
    static constexpr InstructionArgument unpack(std::uint64_t word) noexcept {
        const auto low = [word](unsigned shift) {
            return static_cast<std::uint32_t>(word >> shift);
        };
        return {low(0) & kMostLoadWaits, low(14) & kMostStoreWaits, low(25) & kMostProducts,
                low(33) & kMostDividendBits, low(44) & kMostCalls};
    }
};

/// Argument of compute events. Dimensions are tiles: a block product of rt rows and ct columns.
struct ComputeArgument {
    DataFormat srca = DataFormat::Invalid;
    DataFormat srcb = DataFormat::Invalid;
    DataFormat out = DataFormat::Invalid;  ///< of packs
    MathFidelity fidelity{};
    std::uint8_t ct = 1;
    std::uint8_t rt = 1;
    std::uint8_t cb = 0;  ///< CB behind SrcA (in1 of products), or the CB packed into

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{static_cast<std::uint8_t>(srca)} |
               (std::uint64_t{static_cast<std::uint8_t>(srcb)} << 8U) |
               (std::uint64_t{static_cast<std::uint8_t>(out)} << 16U) |
               (std::uint64_t{static_cast<std::uint8_t>(fidelity)} << 24U) |
               (std::uint64_t{ct} << 32U) | (std::uint64_t{rt} << 40U) | (std::uint64_t{cb} << 48U);
    }
    static constexpr ComputeArgument unpack(std::uint64_t word) noexcept {
        const auto byte = [word](unsigned shift) {
            return static_cast<std::uint8_t>(word >> shift);
        };
        return {static_cast<DataFormat>(byte(0)),
                static_cast<DataFormat>(byte(8)),
                static_cast<DataFormat>(byte(16)),
                static_cast<MathFidelity>(byte(24)),
                byte(32),
                byte(40),
                byte(48)};
    }
};

/// Bits of `detail` of EltwiseBinary.
struct EltwiseDetail {
    static constexpr std::uint8_t kMultiply = 1;   ///< fidelity phases count; else add or subtract
    static constexpr std::uint8_t kBroadcast = 2;  ///< row, column or scalar of operand B
    static constexpr std::uint8_t kDestReuse = 4;  ///< one operand comes from DST
    static constexpr std::uint8_t kFromDst = 8;    ///< unary broadcast or other DST-only move
};

/// Bits of `detail` of Sfpu.
struct SfpuDetail {
    static constexpr std::uint8_t kApproximate = 1;  ///< math_approx_mode of the kernel
    static constexpr std::uint8_t kHalfTile = 2;     ///< two of the four faces (VectorMode R or C)
};

/// Bits of `detail` of Pack and PackUntilize.
struct PackDetail {
    static constexpr std::uint8_t kAccumulates = 1;  ///< adds to what L1 holds (packer L1 acc)
    static constexpr std::uint8_t kDst32 = 2;        ///< DST holds 32-bit values
};

/// What an init call sets up anew. Full: the three units (mm_init, binary_op_init_common, …).
enum class UnitInitKind : std::uint8_t { Full, Operation, Sfpu, ReconfigSource, ReconfigPack };

/// A kernel's own line.
struct TraceSite {
    std::uint32_t file = 0;  ///< index into Trace::names
    std::uint32_t line = 0;
    friend constexpr auto operator<=>(const TraceSite&, const TraceSite&) = default;
};

/// Modes of a compute thread that cost time.
struct ComputeModes {
    MathFidelity fidelity{};
    bool fp32_dest_acc = false;
    bool dst_full_sync = false;
    bool approximate = false;
    friend bool operator==(const ComputeModes&, const ComputeModes&) = default;
};

struct ThreadTrace {
    Processor processor{};
    std::uint8_t default_noc = 0;
    std::uint32_t kernel = 0;      ///< index into Trace::names: path of the kernel's source
    ComputeModes compute;          ///< compute threads only
    std::vector<TraceSite> sites;  ///< the first is "no line": {0, 0}
    std::vector<TraceEvent> events;
    friend bool operator==(const ThreadTrace&, const ThreadTrace&) = default;
};

/// A CB as configured on a core.
struct CbTrace {
    std::uint8_t index = 0;
    DataFormat format = DataFormat::Invalid;
    std::uint32_t pages = 0;
    std::uint32_t page_bytes = 0;
    friend bool operator==(const CbTrace&, const CbTrace&) = default;
};

struct CoreTrace {
    std::uint16_t device = 0;
    CoreCoord core;                    ///< logical
    std::vector<CbTrace> cbs;          ///< by index
    std::uint32_t l1_bytes = 0;        ///< L1 taken by CBs and sharded buffers at launch
    std::vector<ThreadTrace> threads;  ///< by processor; those that have a kernel
    friend bool operator==(const CoreTrace&, const CoreTrace&) = default;
};

/// Words of L1 that hold something else than 0 when kernels start (CreateSemaphore's initial
/// values).
struct InitialWord {
    std::uint16_t device = 0;
    CoreCoord core;
    std::uint32_t address = 0;
    std::uint32_t value = 0;
    friend bool operator==(const InitialWord&, const InitialWord&) = default;
};

/// What dispatch has to send for one device's program.
struct DispatchTrace {
    std::uint16_t device = 0;
    std::uint32_t kernels = 0;  ///< kernel groups
    std::uint32_t cores = 0;
    std::uint32_t threads = 0;  ///< kernel threads over all cores
    std::uint32_t cbs = 0;      ///< most CBs of a core
    std::uint32_t semaphores = 0;
    std::uint32_t unique_args = 0;   ///< words, over all cores and kernels
    std::uint32_t common_args = 0;   ///< words
    std::uint32_t binary_bytes = 0;  ///< kernel text, where known; else 0
    std::uint32_t host_reads = 0;    ///< tensors that the host read back to build the program
    friend bool operator==(const DispatchTrace&, const DispatchTrace&) = default;
};

/// One launch of programs on one or more devices together.
struct LaunchTrace {
    std::string name;
    std::vector<DispatchTrace> dispatch;  ///< by device
    std::vector<CoreTrace> cores;         ///< by (device, y, x)
    std::vector<InitialWord> initial_words;
    friend bool operator==(const LaunchTrace&, const LaunchTrace&) = default;
};

/// The launches of a run, in order.
struct Trace {
    std::uint32_t version = 1;
    std::string arch;  ///< name of the architecture it was recorded on
    MeshSpec mesh;
    std::vector<std::string> names;  ///< files, kernels, SFPU functions and zones; the first is ""
    std::vector<LaunchTrace> launches;
};

/// Number of events over all threads of a launch.
[[nodiscard]] std::uint64_t num_events(const LaunchTrace& launch) noexcept;

}  // namespace tessera
