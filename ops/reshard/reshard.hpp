// SPDX-License-Identifier: Apache-2.0
// Moves pages of a tensor from one memory layout to another, at least one of which is sharded.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// RISCs that move a core's pages: both (RISCV_1 on NoC 0 the first half, RISCV_0 on NoC 1 the
/// second), or one of them alone.
enum class ReshardMovers : std::uint8_t { Both, Noc0, Noc1 };

struct ReshardSpec {
    ReshardMovers movers = ReshardMovers::Both;
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::ReshardMovers>{
    EnumName<ops::ReshardMovers>{"both", ops::ReshardMovers::Both},
    EnumName<ops::ReshardMovers>{"noc_0", ops::ReshardMovers::Noc0},
    EnumName<ops::ReshardMovers>{"noc_1", ops::ReshardMovers::Noc1},
};

}  // namespace tessera::config

namespace tessera::ops::reshard {

inline constexpr std::array<std::string_view, 2> kSchedules{"to_shards", "from_shards"};
inline constexpr std::array kInputs{Operand{
    .name = "input", .shape = "(..., N)", .format = "any", .layout = "any", .lies = Lies::Anyhow}};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(..., N)",
                                             .format = "=input",
                                             .layout = "=input",
                                             .lies = Lies::Anyhow}};
inline constexpr OpSpec kSpec{
    .name = "reshard",
    .summary = "moves pages between shards in L1, or between shards and interleaved memory",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
/// Builds the launch. With an output sharded in L1, each of its cores reads the pages of its shard,
/// row by row, with one barrier at the end. Otherwise each core that holds a shard of the input
/// writes its pages in the same way. There are no circular buffers: pages go directly to their
/// destination. ReshardMovers names the RISCs that move them.
///
/// Errors   UsageError if the contract or a rule of the op does not hold: a tensor is sharded in
///          L1, no core holds more than one shard, and pages between DRAM and L1 are multiples of
///          the DRAM alignment.
/// Source   TTNN's reshard and interleaved_to_sharded program factories.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::reshard
