// SPDX-License-Identifier: Apache-2.0
// Contents of an event's `detail` and `argument`, by kind of event.
#pragma once

#include <array>
#include <cstdint>

#include "tessera/core_coord.hpp"
#include "tessera/data_format.hpp"

namespace tessera {

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
    static constexpr std::uint8_t kPage = 128;     ///< remote address computed from a page's number
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

/// Argument of multicasts: rectangle of logical worker cores, both corners included. For words it
/// also has the address in each L1; for NocMulticast, the transaction id instead.
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

/// Argument of words: an address in an L1, or a DRAM bank without the address.
struct WordArgument {
    std::uint32_t address = 0;
    NocPlace place;
    std::uint16_t device = 0;  ///< device of the word; for NoC words the issuer's

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

/// `detail` of barriers: all transfers on the NoC, or those with one transaction id.
struct BarrierDetail {
    static constexpr std::uint8_t kNoc = 1;
    static constexpr std::uint8_t kHasId = 2;  ///< transaction id in bits 2 to 7
    std::uint8_t bits = 0;
    [[nodiscard]] constexpr std::uint32_t noc() const noexcept { return bits & kNoc; }
    [[nodiscard]] constexpr bool has_id() const noexcept { return (bits & kHasId) != 0; }
    [[nodiscard]] constexpr std::uint32_t id() const noexcept { return bits >> 2U; }
};

/// Test of a semaphore wait. The event's `count` is the value compared with.
enum class WaitTest : std::uint8_t { Equal, AtLeast };

/// Argument of FabricOpen: the channel of a mux that forwards the thread's packets to the link. The
/// argument is 0 if the thread sends them directly to the link's sender.
struct MuxArgument {
    NocPlace place;  ///< the mux's core
    std::uint8_t channel = 0;
    std::uint8_t num_channels = 0;  ///< channels of the mux
    std::uint8_t num_buffers = 0;   ///< buffers of the thread's channel; at least 1

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

/// Argument of FabricPacket: destination of its payload.
struct FabricArgument {
    std::uint16_t device = 0;  ///< destination (the last one of a line multicast)
    NocPlace place;            ///< destination of the payload's first part
    std::uint8_t hops = 0;
    bool is_multicast = false;  ///< also delivered at devices along the route
    bool has_add = false;       ///< the packet's FabricAdd or FabricWord follows
    bool is_fused = false;      ///< the packet adds to a word after it has written its payload
    bool flushes = false;       ///< the addition waits for all writes before it
    std::uint8_t multicast_from = 0;  ///< hops to the first device of a multicast
    std::uint8_t more_parts = 0;      ///< parts of the payload after the first one
    std::uint8_t east = 0;            ///< devices of a box east of each device of the first leg
    std::uint8_t west = 0;            ///< devices of a box west of each device of the first leg
    bool is_mesh_route = false;       ///< the header has a 2D route (HybridMeshPacketHeader)

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

/// Argument of Instructions: fields of InstructionCount (tessera/instruction_counters.hpp). Counts
/// that exceed a field take several events.
struct InstructionArgument {
    std::uint32_t load_waits = 0;     ///< 14 bits
    std::uint32_t store_waits = 0;    ///< 11 bits
    std::uint32_t products = 0;       ///< 8 bits
    std::uint32_t dividend_bits = 0;  ///< 11 bits
    std::uint32_t calls = 0;          ///< API calls since the last such event, 20 bits

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

/// Argument of compute events. Dimensions count tiles: a block product has rt rows and ct columns.
/// Tile shapes are those of the CBs (CircularBufferConfig::set_tile_dims).
struct ComputeArgument {
    DataFormat srca = DataFormat::Invalid;
    DataFormat srcb = DataFormat::Invalid;
    DataFormat out = DataFormat::Invalid;  ///< output format of packs
    MathFidelity fidelity{};
    std::uint8_t ct = 1;
    std::uint8_t rt = 1;
    std::uint8_t cb = 0;  ///< CB behind SrcA (in1 of products), or the CB packed into
    Tile srca_tile;
    Tile srcb_tile;
    Tile out_tile;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{static_cast<std::uint8_t>(srca)} |
               (std::uint64_t{static_cast<std::uint8_t>(srcb)} << 8U) |
               (std::uint64_t{static_cast<std::uint8_t>(out)} << 16U) |
               (std::uint64_t{static_cast<std::uint8_t>(fidelity)} << 24U) |
               (std::uint64_t{out_tile.code()} << 28U) | (std::uint64_t{ct} << 32U) |
               (std::uint64_t{rt} << 40U) | (std::uint64_t{cb} << 48U) |
               (std::uint64_t{srca_tile.code()} << 56U) | (std::uint64_t{srcb_tile.code()} << 60U);
    }
    static constexpr ComputeArgument unpack(std::uint64_t word) noexcept {
        const auto byte = [word](unsigned shift) {
            return static_cast<std::uint8_t>(word >> shift);
        };
        return {static_cast<DataFormat>(byte(0)),
                static_cast<DataFormat>(byte(8)),
                static_cast<DataFormat>(byte(16)),
                static_cast<MathFidelity>(byte(24) & 0xFU),
                byte(32),
                byte(40),
                byte(48),
                Tile::of_code(byte(56) & 0xFU),
                Tile::of_code(byte(60)),
                Tile::of_code(byte(28) & 0xFU)};
    }
};

/// Bits of `detail` of EltwiseBinary.
struct EltwiseDetail {
    static constexpr std::uint8_t kMultiply = 1;   ///< fidelity phases count; else add or subtract
    static constexpr std::uint8_t kBroadcast = 2;  ///< row, column or scalar of operand B
    static constexpr std::uint8_t kDestReuse = 4;  ///< one operand comes from DST
    static constexpr std::uint8_t kFromDst = 8;    ///< unary broadcast or other DST-only move
};

/// Bits of `detail` of Copy.
struct CopyDetail {
    static constexpr std::uint8_t kInBlock = 1;  ///< one tile of a call that copies a block
};

/// `detail` of Reduce: shape of the result, and whether it is a maximum or a sum.
struct ReduceDetail {
    static constexpr std::uint8_t kRow = 0;     ///< a column of one element for each row
    static constexpr std::uint8_t kColumn = 1;  ///< a row of one element for each column
    static constexpr std::uint8_t kScalar = 2;
    static constexpr std::uint8_t kDim = 3;  ///< mask of the three values above
    static constexpr std::uint8_t kLargest = 4;
};

/// Bits of `detail` of Sfpu.
struct SfpuDetail {
    static constexpr std::uint8_t kApproximate =
        1;  ///< computes an approximation, which is faster (SfpuForm)
    static constexpr std::uint8_t kHalfTile = 2;  ///< two of the four faces (VectorMode R or C)
    static constexpr std::uint8_t kDst32 = 4;     ///< DST holds 32-bit values
};

/// Bits of `detail` of Pack and PackUntilize.
struct PackDetail {
    static constexpr std::uint8_t kAccumulates = 1;  ///< adds to what L1 holds (packer L1 acc)
    static constexpr std::uint8_t kDst32 = 2;        ///< DST holds 32-bit values
};

/// Units that an init call configures. Full: all three units (mm_init, binary_op_init_common, …).
enum class UnitInitKind : std::uint8_t { Full, Operation, Sfpu, ReconfigSource, ReconfigPack };

}  // namespace tessera
