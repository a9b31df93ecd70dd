// SPDX-License-Identifier: Apache-2.0
// Pages of a tensor from one way of lying in memory to another, at least one of them in shards.
#pragma once

#include <array>
#include <string_view>

#include "ops/op_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/reshard_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::reshard {

inline constexpr std::array<std::string_view, 2> kSchedules{"to_shards", "from_shards"};
inline constexpr std::array kInputs{
    Operand{"input", "any", "any", "ROW_MAJOR | TILE, sharded or interleaved"}};
inline constexpr std::array kOutputs{
    Operand{"output", "as the input", "as the input", "the same, sharded or interleaved"}};
inline constexpr OpSpec kSpec{
    .name = "reshard",
    .summary = "pages between shards in L1, or between shards and interleaved memory",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

struct Inputs {
    const DeviceTensor& input;
};
struct Outputs {
    const DeviceTensor& output;
};

/// Which of kSchedules make_program takes.
[[nodiscard]] std::string_view schedule_of(const Outputs& outputs) noexcept;

/// Builds the launch. With an output in shards in L1, each of its cores reads the pages of its
/// shard, row by row, from wherever they lie, with one barrier at the end. Otherwise each core that
/// holds a shard of the input writes its pages, likewise. No circular buffers: pages go straight to
/// their place. ReshardMovers says who moves them.
///
/// Errors   UsageError if the specs differ, there is nothing to move, neither tensor is in shards
///          in L1, a core would hold more than one shard, or pages between DRAM and L1 are no
///          multiple of the DRAM alignment.
/// Source   TTNN's reshard and interleaved_to_sharded program factories.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Inputs& inputs,
                                   const Outputs& outputs, const ReshardSpec& schedule);

/// The input.
[[nodiscard]] HostTensor reference(const HostTensor& input);

}  // namespace tessera::ops::reshard
