// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_bmm/moe_bmm.hpp"

#include <algorithm>
#include <utility>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/moe_bmm/near_banks.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::moe_bmm {
namespace {

using config::field;
using config::Limits;

std::uint32_t half_of_dst(const ArchSpec& arch, const MoeBmmSpec& schedule) {
    // Math fills one half of DST while the packer empties the other.
    return (schedule.fp32_dest_acc ? arch.dst.tiles_32bit : arch.dst.tiles_16bit) / 2;
}

// The other buffers: two output subblocks, a tile of zeros, the experts' token counts and the
// announcements of blocks (two pages of 16 B). Each of these is there for two kernels.
std::uint64_t bytes_beside_inputs(const ArchSpec& arch, const MoeBmmSpec& schedule,
                                  std::uint32_t experts) {
    const Subblock& subblock = schedule.subblock;
    const std::uint64_t tiles = 1 + std::uint64_t{2} * subblock.height * subblock.width;
    return tiles * tile_bytes(DataFormat::Float16_b) +
           2 * std::uint64_t{experts} * arch.dram.alignment.value + 2 * 32;
}

// With k_split, one core receives the parts of sums that other cores send. All of them have the
// same buffers, because a core computes an address on another core from its own.
std::uint64_t bytes_of_parts(const MoeBmmSpec& schedule) {
    const std::uint64_t tiles = std::uint64_t{schedule.subblock.height} * schedule.subblock.width;
    const std::uint64_t blocks = schedule.k_split - 1 + kPartBlocks;
    return schedule.k_split == 1 ? 0 : blocks * tiles * tile_bytes(part_format(schedule));
}

BmmExtents extents_of(const OpContext& context) {
    const Shape& weights = context.inputs["expert_weights"_in].spec.shape;
    return {weights[0], div_up(weights[1], kTileRows), div_up(weights[2], kTileColumns)};
}

void judge_near_banks(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<MoeBmmSpec>();
    const std::string fault = near_banks_fault(context.arch, extents_of(context), schedule);
    judge.require(fault.empty(), "schedule",
                  fmt::format("near_banks {}; or set schedule to multi_core", fault));
    // Cores find the units of all experts from the counts in device memory.
    judge.require(schedule.split_by == SplitBy::Device, "schedule",
                  "near_banks takes split_by device; set it, or set schedule to multi_core");
}

void judge_k_split(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<MoeBmmSpec>();
    if (schedule.k_split == 1) {
        return;
    }
    // A grid of 0x0 means the device's.
    const GridSize whole = context.arch.workers.compute;
    const GridSize grid = schedule.grid == GridSize{} ? whole : schedule.grid;
    judge.require(
        schedule.schedule == BmmSchedule::MultiCore || schedule.schedule == BmmSchedule::Auto,
        "k_split", fmt::format("is {}; it needs schedule multi_core", schedule.k_split));
    judge.require(schedule.k_split <= grid.columns * grid.rows, "k_split",
                  fmt::format("is {}; the schedule has {} cores", schedule.k_split,
                              grid.columns * grid.rows));
    // send_part.cpp finds its blocks from the counts in device memory.
    judge.require(schedule.split_by == SplitBy::Device, "k_split",
                  fmt::format("is {}; it needs split_by device", schedule.k_split));
    const std::uint32_t k_tiles =
        div_up(context.inputs["expert_weights"_in].spec.shape[1], kTileRows);
    const std::uint32_t k_blocks = div_up(k_tiles, std::max(schedule.k_block, 1U));
    // A core without a block of K would send nothing, and the adder would wait for it.
    judge.require(schedule.k_split <= k_blocks, "k_split",
                  fmt::format("is {}; K has {} blocks of {} tiles", schedule.k_split, k_blocks,
                              schedule.k_block));
    const std::uint32_t tiles = schedule.subblock.height * schedule.subblock.width;
    // One tile of DST takes another core's sums.
    judge.require(tiles < half_of_dst(context.arch, schedule), "subblock",
                  fmt::format("has {} tiles; with k_split, half of DST holds 1 to {} and one of "
                              "another core's",
                              tiles, half_of_dst(context.arch, schedule) - 1));
}

constexpr std::array kFields{
    field<&MoeBmmSpec::schedule>(
        "schedule", "auto",
        "single_core: experts in sequence; multi_core: output tiles spread over the grid; "
        "multicast_rows: the cores of a row share weights, which one of them reads; near_banks: "
        "cores read weights of the DRAM bank beside them; auto: near_banks for large experts, if "
        "the keys of multi_core have their default values, else multi_core"),
    field<&MoeBmmSpec::distribution>(
        "distribution", "block",
        "output tiles of a core in multi_core: consecutive (block) or every n-th (round_robin)"),
    field<&MoeBmmSpec::split_by>("split_by", "device", kSplitByProse),
    field<&MoeBmmSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&MoeBmmSpec::k_block>("k_block", "4", "K tiles of one CB push", Limits{1, 1024}),
    field<&MoeBmmSpec::k_split>(
        "k_split", "1", "cores that share the K of a block; the first adds the sums of the others",
        Limits{1, 64}),
    field<&MoeBmmSpec::subblock>("subblock", "[1, 4]",
                                 "output tiles held in DST at once; at most half of DST",
                                 Limits{1, 16}),
    field<&MoeBmmSpec::cb_depth>("cb_depth", "2", "K blocks that each input CB holds", kDepth),
    field<&MoeBmmSpec::fp32_dest_acc>(
        "fp32_dest_acc", "true",
        "32-bit DST; false rounds sums to bf16 and doubles the tiles of DST"),
    field<&MoeBmmSpec::math_fidelity>("math_fidelity", "HiFi4", kFidelityProse),
    field<&MoeBmmSpec::bank_cores>("bank_cores", "0",
                                   "near_banks: cores that read from each bank; 0: four of five",
                                   Limits{0, 64}),
};

/// Keys that change nothing with a schedule.
std::span<const std::string_view> untaken_by(BmmSchedule schedule) {
    // One core has no grid and nothing to distribute.
    static constexpr std::array<std::string_view, 3> kSingleCore{"distribution", "grid",
                                                                 "bank_cores"};
    // Its blocks follow from the shape.
    static constexpr std::array<std::string_view, 6> kNearBanks{
        "distribution", "grid", "k_block", "k_split", "subblock", "cb_depth"};
    static constexpr std::array<std::string_view, 1> kOthers{"bank_cores"};
    switch (schedule) {
        case BmmSchedule::SingleCore:
            return kSingleCore;
        case BmmSchedule::NearBanks:
            return kNearBanks;
        case BmmSchedule::Auto:
            return {};
        default:
            return kOthers;
    }
}

void rules(const OpContext& context, RuleJudge& judge) {
    const ArchSpec& arch = context.arch;
    const auto& schedule = context.params<MoeBmmSpec>();
    const Subblock& subblock = schedule.subblock;
    judge_untaken(kFields, &schedule, untaken_by(schedule.schedule),
                  config::Value<BmmSchedule>::show(schedule.schedule), judge);
    judge_grid(arch, schedule.grid, judge);
    const BmmSchedule chosen = chosen_schedule(arch, extents_of(context), schedule).schedule;
    if (chosen == BmmSchedule::NearBanks) {
        judge_near_banks(context, judge);
        return;
    }
    judge.require(schedule.k_block > 0, "k_block", "is 0; allowed: at least 1");
    judge_depth(schedule.cb_depth, judge);
    const std::uint64_t tiles = std::uint64_t{subblock.height} * subblock.width;
    judge.require(tiles >= 1 && tiles <= half_of_dst(arch, schedule), "subblock",
                  fmt::format("has {} tiles; half of DST holds 1 to {} with fp32_dest_acc {}",
                              tiles, half_of_dst(arch, schedule), schedule.fp32_dest_acc));
    const std::uint64_t bytes =
        std::uint64_t{schedule.k_block} * schedule.cb_depth * (subblock.height + subblock.width) *
            tile_bytes(DataFormat::Float16_b) +
        bytes_of_parts(schedule) +
        bytes_beside_inputs(arch, schedule, context.inputs["input_hidden_state"_in].spec.shape[0]);
    judge_k_split(context, judge);
    // Rows of cores share out steps by the counts, which only the device has.
    judge.require(
        schedule.schedule != BmmSchedule::MulticastRows || schedule.split_by == SplitBy::Device,
        "schedule", "multicast_rows needs split_by device");
    judge.require(
        bytes <= buffer_room(arch), "k_block",
        fmt::format("{} with cb_depth {} and subblock {}x{} takes {} B of circular buffers; a core "
                    "has {} B of L1 for them",
                    schedule.k_block, schedule.cb_depth, subblock.height, subblock.width, bytes,
                    buffer_room(arch)));
}

std::string schedule_words(const OpContext& context) {
    const MoeBmmSpec spec =
        chosen_schedule(context.arch, extents_of(context), context.params<MoeBmmSpec>());
    if (spec.schedule == BmmSchedule::SingleCore || spec.schedule == BmmSchedule::NearBanks) {
        return std::string(config::Value<BmmSchedule>::show(spec.schedule));
    }
    const bool is_multicast = spec.schedule == BmmSchedule::MulticastRows;
    const std::string parts =
        spec.k_split == 1 ? "" : fmt::format(", {} cores a block", spec.k_split);
    return fmt::format("{}, {}{}", is_multicast ? "multicast_rows" : "multi_core",
                       config::Value<TileDistribution>::show(spec.distribution), parts);
}

bool reads_back(ParameterRef parameters) {
    return parameters.as<MoeBmmSpec>().split_by == SplitBy::Host;
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Shape& input = context.inputs["input_hidden_state"_in].spec.shape;
    const Shape& weights = context.inputs["expert_weights"_in].spec.shape;
    return {{.spec = {{input[0], input[1], weights[2]}, DataFormat::Float16_b, Layout::TILE}}};
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const MoeBmmSpec& asked) {
    const RoutedTokens& counts = inputs.num_routed_tokens;
    check_counts("moe_bmm", counts, asked.split_by, inputs.input_hidden_state.spec.shape[1]);
    // Weights are (K, N) in tiles, so that K counts their rows of tiles.
    const TokenTiles tiles = token_tiles_of(outputs.output.spec.shape);
    const std::uint32_t k_tiles = div_up(inputs.expert_weights.spec.shape[1], kTileRows);
    const MoeBmmSpec schedule =
        chosen_schedule(arch, {tiles.num_experts, k_tiles, tiles.column_tiles}, asked);
    const BmmCall call{arch, inputs, outputs, schedule, tiles, k_tiles};
    switch (schedule.schedule) {
        case BmmSchedule::NearBanks:
            return near_banks_program(call);
        case BmmSchedule::MulticastRows:
            return multicast_rows_program(call);
        default:
            return multi_core_program(call);
    }
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        return make_program(
            context.arch,
            {in["input_hidden_state"_in][p],
             in["expert_weights"_in][p],
             {in["num_routed_tokens"_in][p], context.host_counts("num_routed_tokens"_in, p)}},
            {context.device_outputs[only(kOutputs)][p]}, context.params<MoeBmmSpec>());
    });
}

LeastWork bound(const BoundContext& context) {
    LeastWork work = product_work(context, context.in("input_hidden_state"_in).shape.back());
    work.dram_bytes += zero_bytes(context);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<MoeBmmSpec>(kFields),
                        .schedule = schedule_words,
                        .rules = rules,
                        .infer = infer,
                        .reads_back = reads_back,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference,
                        .check_values =
                            [](const ReferenceContext& context) {
                                check_batch_counts(
                                    kSpec.name,
                                    named_table(kInputs, context, "num_routed_tokens"_in),
                                    num_rows(context.in("input_hidden_state"_in).shape()));
                            },
                        .checked_inputs = {"num_routed_tokens"_in}};
    return kOp;
}

}  // namespace tessera::ops::moe_bmm
