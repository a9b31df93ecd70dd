// SPDX-License-Identifier: Apache-2.0
// Batched matrix product of a MoE projection: each expert's routed tokens times its weights.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/valid_tiles/valid_tiles.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/subblock.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

enum class BmmSchedule : std::uint8_t { Auto, SingleCore, MultiCore, MulticastRows, NearBanks };

struct MoeBmmSpec {
    BmmSchedule schedule = BmmSchedule::MultiCore;
    TileDistribution distribution = TileDistribution::Block;
    SplitBy split_by = SplitBy::Device;
    GridSize grid;              ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t k_block = 0;  ///< K tiles of one CB push
    std::uint32_t k_split = 1;  ///< cores that share the K of a block
    Subblock subblock;
    std::uint32_t cb_depth = 0;  ///< blocks that each input CB holds
    bool fp32_dest_acc = true;
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    std::uint32_t bank_cores = 0;  ///< cores next to each bank; 0: chosen by the device
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::BmmSchedule>{
    EnumName<ops::BmmSchedule>{"auto", ops::BmmSchedule::Auto},
    EnumName<ops::BmmSchedule>{"single_core", ops::BmmSchedule::SingleCore},
    EnumName<ops::BmmSchedule>{"multi_core", ops::BmmSchedule::MultiCore},
    EnumName<ops::BmmSchedule>{"multicast_rows", ops::BmmSchedule::MulticastRows},
    EnumName<ops::BmmSchedule>{"near_banks", ops::BmmSchedule::NearBanks},
};

}  // namespace tessera::config

namespace tessera::ops::moe_bmm {

inline constexpr std::array<std::string_view, 5> kSchedules{"auto", "multi_core", "multicast_rows",
                                                            "near_banks", "single_core"};
inline constexpr std::array kInputs{
    Operand{.name = "input_hidden_state",
            .shape = "(E/D, T, H_in)",
            .format = "bfloat16",
            .layout = "TILE",
            .valid_rows = "num_routed_tokens"},
    Operand{.name = "expert_weights",
            .shape = "(E/D, H_in, H_out)",
            .format = "bfloat16",
            .layout = "TILE"},
    Operand{.name = "num_routed_tokens",
            .shape = "(E/D, 1)",
            .format = "uint32",
            .layout = "ROW_MAJOR",
            .host_read = HostRead::Yes},
};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(E/D, T, H_out)",
                                             .format = "bfloat16",
                                             .layout = "TILE",
                                             .valid_rows = "num_routed_tokens"}};

/// Positions of operands by their names: "input_hidden_state"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 = 0.0039 of the element; the rest is for fp32 sums.
inline constexpr OpSpec kSpec{
    .name = "moe_bmm",
    .summary = "multiplies the routed tokens of each expert by its weights; other rows are zero",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999, .summed = "H_in"},
};

/// Returns the op, for the registry.
///
/// Builds the launch.
///
/// Output-stationary: the unit of work is a subblock of output tiles of one expert, whose sums stay
/// in DST over all of K. Only the ceil(num_routed_tokens / 32) rows of tiles that hold tokens are
/// cut into subblocks, counted expert by expert, row by row. The last ones of a row or column are
/// smaller. SingleCore: core (0,0) takes them all. MultiCore: split_work_to_cores over the grid,
/// neighbours together (Block) or in turn (RoundRobin). No core talks to another, unless k_split is
/// above 1. Then so many cores next to each other take a block together, each a part of K in whole
/// k_blocks. The first adds the sums of the others, in the order of their parts, in DST.
///
/// MulticastRows: the cores of a row of the grid take subblocks below each other, of one expert and
/// one column, at a time. The first reads the weights and sends them to the others. So each weight
/// is read once for as many rows of tokens as the row has cores. It pays where experts have many
/// tokens.
///
/// NearBanks: each core reads only weights of the DRAM bank beside it (kernels/near_args.hpp). All
/// cores work on the same expert. Its rows are read once and multicast; its weights are read once
/// if they fit, for all of its rows. Auto: NearBanks for large experts if the other parameters have
/// their default values, else MultiCore.
///
/// The reader finds its subblocks from num_routed_tokens in device memory. With SplitBy::Device,
/// each core works out its share of them there too, and all cores of the grid take part. Each push
/// into an input buffer has the pages of a whole block of K and a whole subblock. This also holds
/// if the last ones have fewer tiles: a buffer's pages must be a multiple of every push.
///
/// Numeric  every output element is zero beyond its expert's tokens, whatever the input holds
///          there: rows of a product do not mix, and the writer clears those rows.
/// Errors   UsageError for wrong shapes, formats, layouts or counts, or sharded tensors; a grid
///          larger than the device's; k_block, cb_depth or a side of the subblock 0; a subblock of
///          near_banks with less K than cores share, or more memory than L1 has; a subblock of
///          more tiles than half of DST holds, with k_split beside one of another core's; a k_split
///          of more cores than there are, or parts of K.
[[nodiscard]] const Op& op();

/// Returns the reference of a step; only rows that hold tokens.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::moe_bmm
