// SPDX-License-Identifier: Apache-2.0
// Circular buffers of collectives, and the number of packets that travel together in them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "ops/shared/exchange/plan.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::exchange {

/// Format in which partial sums travel over the links and wait for a later phase.
enum class PartialSums : std::uint8_t { Fp32, Bf16 };

}  // namespace tessera::ops::exchange

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::exchange::PartialSums>{
    EnumName<ops::exchange::PartialSums>{"fp32", ops::exchange::PartialSums::Fp32},
    EnumName<ops::exchange::PartialSums>{"bf16", ops::exchange::PartialSums::Bf16},
};

}  // namespace tessera::config

namespace tessera::ops::exchange {

/// Blocks of own tiles: those that the consumer takes, those that are waited for, and those on
/// their way.
inline constexpr std::uint32_t kOwnBlocks = 12;

/// Transport of bytes, independent of the schedule.
struct Transport {
    std::uint32_t links = kLinksPerDirection;  ///< links per direction
    std::uint32_t packet_tiles = 0;            ///< 2 KiB each; 0: as many as fit in a packet
    std::uint32_t chunk_packets = 0;           ///< packets that travel together; 0: chunk_of
    PartialSums partial_sums = PartialSums::Fp32;
};

/// Acts of the cores of a group. They are the same on all of its devices: a core sends to the place
/// that its own circular buffers have.
struct Acts {
    bool sums = false;
    bool gathers = false;
    bool keeps_sums = false;  ///< in the workspace, for a later phase
};
[[nodiscard]] Acts acts_of(const GroupPlans& plans);

/// Returns the tiles of a packet of bytes and of one of partial sums.
[[nodiscard]] std::uint32_t gather_tiles(const ArchSpec& arch, const Transport& transport);
[[nodiscard]] std::uint32_t sum_tiles(const ArchSpec& arch, const Transport& transport);
/// Returns the bytes of each packet except the last, for a row or page that exceeds one packet:
/// those of `packet_tiles` (0: as many as fit in a packet), rounded to a multiple of 64. Each
/// packet thus starts at an address that DRAM and L1 accept.
[[nodiscard]] std::uint32_t packet_piece(const ArchSpec& arch, std::uint32_t packet_tiles = 0);
/// Returns the number of pages of `buffer` in a packet that writes each to its own address: 1 to 4,
/// and 1 if pages leave gaps in L1. Their bytes are at most those of `packet_tiles` (0: of the
/// largest packet).
[[nodiscard]] std::uint32_t pages_per_packet(const ArchSpec& arch, const Buffer& buffer,
                                             std::uint32_t packet_tiles);
/// Packing of pages, for kernels that send them (ops/shared/kernels/next_device.hpp).
struct PagePacking {
    bool is_split = false;   ///< a page exceeds a packet: PagePieces, else PagePackets
    std::uint32_t word = 1;  ///< packet_piece, or pages_per_packet
};
[[nodiscard]] PagePacking page_packing(const ArchSpec& arch, const Buffer& buffer,
                                       std::uint32_t packet_tiles);
[[nodiscard]] DataFormat partial_format(const Transport& transport);

struct BufferSize {
    Cb cb;
    DataFormat format;
    std::uint32_t tiles;
};
/// Precondition   `transport` states its chunk.
[[nodiscard]] std::vector<BufferSize> buffer_sizes(const ArchSpec& arch, const Transport& transport,
                                                   const Acts& acts);

/// Returns the packets of a slice that travel together: as the transport states, or else as many as
/// fit in a core's L1, from 1 to 16.
[[nodiscard]] std::uint32_t chunk_of(const ArchSpec& arch, const Transport& transport,
                                     const Acts& acts);
/// Checks that the circular buffers fit into L1; a violation names `chunk_packets`.
void judge_buffers(const ArchSpec& arch, Transport transport, const Acts& acts, RuleJudge& judge);

}  // namespace tessera::ops::exchange
