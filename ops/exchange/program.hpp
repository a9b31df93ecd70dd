// SPDX-License-Identifier: Apache-2.0
// Programs of collectives from the plans of their cores.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/exchange/plan.hpp"
#include "ops/op.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::exchange {

/// Format in which partial sums travel over the links.
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

/// How bytes travel, whatever the schedule.
struct Transport {
    std::uint32_t links = kLinksPerDirection;  ///< of each direction
    std::uint32_t packet_tiles = 0;            ///< 2 KiB each; 0: as many as a packet holds
    std::uint32_t chunk_packets = 16;          ///< of a slice that travel together
    PartialSums partial_sums = PartialSums::Fp32;
};

/// Largest payload of a packet in bytes: 7616 on Wormhole, 15232 on Blackhole.
/// Source   tt-metal tech_reports/CCLs/CCL_bandwidth.md.
[[nodiscard]] std::uint32_t largest_packet(const ArchSpec& arch);
/// Tiles of a packet of bytes and of one of partial sums.
[[nodiscard]] std::uint32_t gather_tiles(const ArchSpec& arch, const Transport& transport);
[[nodiscard]] std::uint32_t sum_tiles(const ArchSpec& arch, const Transport& transport);

/// The rules of a transport, blamed on the parameters `links`, `packet_tiles` and `chunk_packets`,
/// for `ways` cores a link.
void judge_transport(const ArchSpec& arch, const Transport& transport, std::uint32_t ways,
                     RuleJudge& judge);
/// The rules that plans fit into a kernel's runtime arguments and a core's semaphores, blamed on
/// `devices`.
void judge_plans(GroupPlans plans, std::span<const std::uint32_t> devices, RuleJudge& judge);

/// One device's part: its tensors, and the plans of its cores, `ways` for each link in turn.
struct DevicePart {
    std::uint32_t device = 0;
    const DeviceTensor& input;
    const DeviceTensor& output;
    const DeviceTensor* workspace = nullptr;
    const DevicePlans& plans;
    std::uint32_t ways = 1;
    std::uint32_t num_credits = 0;  ///< as number_credits says, on all devices
};

/// Precondition   the tensors' pages have the same size; the rules hold.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Transport& transport,
                                   const DevicePart& part);

}  // namespace tessera::ops::exchange
