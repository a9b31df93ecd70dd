// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_bmm/moe_bmm.hpp"

#include <utility>

#include "ops/buffer_room.hpp"
#include "ops/schedule_fields.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::moe_bmm {
namespace {

using config::field;
using config::Limits;

std::uint32_t div_up(std::uint32_t dividend, std::uint32_t divisor) {
    return dividend / divisor + (dividend % divisor == 0 ? 0 : 1);
}

std::uint32_t half_of_dst(const ArchSpec& arch, const MoeBmmSpec& schedule) {
    return (schedule.fp32_dest_acc ? arch.dst.tiles_32bit : arch.dst.tiles_16bit) / 2;
}

// Besides the operands: two output subblocks, a tile of zeros, the experts' token counts and the
// announcements of blocks (two pages of 16 B), each for two of the kernels.
std::uint64_t bytes_beside_inputs(const ArchSpec& arch, const MoeBmmSpec& schedule,
                                  std::uint32_t experts) {
    const Subblock& subblock = schedule.subblock;
    const std::uint64_t tiles = 1 + std::uint64_t{2} * subblock.height * subblock.width;
    return tiles * tile_bytes(DataFormat::Float16_b) +
           2 * std::uint64_t{experts} * arch.dram.alignment.value + 2 * 32;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const ArchSpec& arch = context.arch;
    const auto& schedule = context.params<MoeBmmSpec>();
    const Subblock& subblock = schedule.subblock;
    judge_grid(arch, schedule.grid, judge);
    judge.require(schedule.k_block > 0, "k_block", "is 0; it must be at least 1");
    judge_depth(schedule.cb_depth, judge);
    const std::uint64_t tiles = std::uint64_t{subblock.height} * subblock.width;
    judge.require(tiles >= 1 && tiles <= half_of_dst(arch, schedule), "subblock",
                  fmt::format("has {} tiles; half of DST holds 1 to {} with fp32_dest_acc {}",
                              tiles, half_of_dst(arch, schedule), schedule.fp32_dest_acc));
    const std::uint64_t bytes =
        std::uint64_t{schedule.k_block} * schedule.cb_depth * (subblock.height + subblock.width) *
            tile_bytes(DataFormat::Float16_b) +
        bytes_beside_inputs(arch, schedule, context.inputs[0].spec.shape[0]);
    judge.require(
        bytes <= buffer_room(arch), "k_block",
        fmt::format("{} with cb_depth {} and subblock {}x{} takes {} B of circular buffers; a core "
                    "has {} B of L1 for them",
                    schedule.k_block, schedule.cb_depth, subblock.height, subblock.width, bytes,
                    buffer_room(arch)));
}

/// Subblocks of all experts' tokens.
std::uint32_t num_blocks(const TokenTiles& tiles, std::span<const std::uint32_t> counts,
                         Subblock subblock) {
    std::uint32_t rows = 0;
    for (const std::uint32_t count : counts) {
        rows += div_up(num_token_tiles(count), subblock.height);
    }
    return rows * div_up(tiles.column_tiles, subblock.width);
}

SharedBlocks share(const ArchSpec& arch, const TokenTiles& tiles,
                   std::span<const std::uint32_t> counts, const MoeBmmSpec& schedule) {
    const bool is_single = schedule.schedule == BmmSchedule::SingleCore;
    if (schedule.split_by == SplitBy::Device) {
        return share_on_device(
            is_single ? CoreCoord{1, 1} : schedule_grid("moe_bmm", arch, schedule.grid),
            is_single ? TileDistribution::Block : schedule.distribution);
    }
    const BlockCounts units{num_blocks(tiles, counts, schedule.subblock),
                            num_zero_tiles(tiles, counts)};
    if (is_single) {
        return share_blocks({1, 1}, units, TileDistribution::Block);
    }
    return share_blocks(schedule_grid("moe_bmm", arch, schedule.grid), units,
                        schedule.distribution);
}

void add_input_buffers(Program& program, const CoreRangeSet& cores, const RoutedTokens& counts,
                       const MoeBmmSpec& schedule) {
    const std::uint32_t k_tiles = schedule.cb_depth * schedule.k_block;
    add_tile_buffer(program, cores, kInputCb, DataFormat::Float16_b,
                    k_tiles * schedule.subblock.height);
    add_tile_buffer(program, cores, kSecondInputCb, DataFormat::Float16_b,
                    k_tiles * schedule.subblock.width);
    add_counts_buffer(program, cores, kReaderCountsCb, counts);
    add_blocks_buffer(program, cores, kComputeBlocksCb);
}

void add_reader(Program& program, const SharedBlocks& work, const TokenTiles& tiles,
                std::uint32_t k_tiles, const Inputs& inputs, const MoeBmmSpec& schedule) {
    const Buffer& counts = inputs.num_routed_tokens.device.buffer;
    std::vector<std::uint32_t> args{tiles.token_tiles,
                                    k_tiles,
                                    tiles.column_tiles,
                                    schedule.k_block,
                                    schedule.subblock.height,
                                    schedule.subblock.width,
                                    tiles.num_experts,
                                    counts.aligned_page_size,
                                    work.split_by == SplitBy::Device ? 1U : 0U};
    TensorAccessorArgs(inputs.input_hidden_state.buffer).append_to(args);
    TensorAccessorArgs(inputs.expert_weights.buffer).append_to(args);
    TensorAccessorArgs(counts).append_to(args);
    const KernelHandle reader = CreateKernel(program, "ops/moe_bmm/kernels/reader.cpp", work.cores,
                                             ReaderDataMovementConfig(std::move(args)));
    for (const BlockShare& share : work.shares) {
        const auto split = work.reader_args(share);
        SetRuntimeArgs(
            program, reader, share.core,
            {inputs.input_hidden_state.buffer.address, inputs.expert_weights.buffer.address,
             counts.address, split[0], split[1], split[2]});
    }
}

void add_compute(Program& program, const SharedBlocks& work, std::uint32_t k_tiles,
                 const MoeBmmSpec& schedule) {
    const ComputeConfig config{.math_fidelity = schedule.math_fidelity,
                               .fp32_dest_acc_en = schedule.fp32_dest_acc,
                               .compile_args = {k_tiles, schedule.k_block, schedule.subblock.height,
                                                schedule.subblock.width},
                               .defines = {},
                               .named_compile_args = {}};
    const KernelHandle compute =
        CreateKernel(program, "ops/moe_bmm/kernels/compute.cpp", work.cores, config);
    for (const BlockShare& share : work.shares) {
        SetRuntimeArgs(program, compute, share.core, {work.compute_count(share)});
    }
}

constexpr std::array kFields{
    field<&MoeBmmSpec::schedule>(
        "schedule", "multi_core",
        "single_core: experts in sequence; multi_core: output tiles spread over the grid"),
    field<&MoeBmmSpec::distribution>(
        "distribution", "block", "output tiles of a core in multi_core: neighbours or every n-th"),
    field<&MoeBmmSpec::split_by>("split_by", "device", kSplitByProse),
    field<&MoeBmmSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&MoeBmmSpec::k_block>("k_block", "4", "K tiles of one CB push", Limits{1, 1024}),
    field<&MoeBmmSpec::subblock>("subblock", "[1, 1]",
                                 "output tiles held in DST at once; at most half of DST",
                                 Limits{1, 16}),
    field<&MoeBmmSpec::cb_depth>("cb_depth", "2", "K blocks that each input CB holds", kDepth),
    field<&MoeBmmSpec::fp32_dest_acc>(
        "fp32_dest_acc", "true", "32-bit DST; false rounds sums to bf16 and doubles its tiles"),
    field<&MoeBmmSpec::math_fidelity>("math_fidelity", "HiFi4", kFidelityProse),
};

std::string schedule_words(const void* parameters) {
    const auto& spec = *static_cast<const MoeBmmSpec*>(parameters);
    if (spec.schedule == BmmSchedule::SingleCore) {
        return "single_core";
    }
    return spec.distribution == TileDistribution::Block ? "multi_core, block"
                                                        : "multi_core, round_robin";
}

bool reads_back(const void* parameters) {
    return static_cast<const MoeBmmSpec*>(parameters)->split_by == SplitBy::Host;
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Shape& input = context.inputs[0].spec.shape;
    const Shape& weights = context.inputs[1].spec.shape;
    return {{.spec = {{input[0], input[1], weights[2]}, DataFormat::Float16_b, Layout::TILE}}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        return make_program(context.arch,
                            {in[0][p], in[1][p], {in[2][p], context.host_counts(2, p)}},
                            {context.device_outputs[0][p]}, context.params<MoeBmmSpec>());
    });
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
                        .reference = reference_of_step};
    return kOp;
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const MoeBmmSpec& schedule) {
    const RoutedTokens& counts = inputs.num_routed_tokens;
    const DeviceTensor* const in[]{&inputs.input_hidden_state, &inputs.expert_weights,
                                   &counts.device};
    const DeviceTensor* const out[]{&outputs.output};
    check_call(op(), arch, &schedule, in, out);
    check_counts("moe_bmm", counts, schedule.split_by, inputs.input_hidden_state.spec.shape[1]);
    const TokenTiles tiles = token_tiles_of(outputs.output.spec.shape);
    const std::uint32_t k_tiles = div_up(inputs.expert_weights.spec.shape[1], kTileRows);
    const SharedBlocks work = share(arch, tiles, counts.host, schedule);

    Program program = CreateProgram();
    add_input_buffers(program, work.cores, counts, schedule);
    add_reader(program, work, tiles, k_tiles, inputs, schedule);
    add_compute(program, work, k_tiles, schedule);
    add_writer(program, work, {.tiles = tiles, .block = schedule.subblock}, outputs.output, counts);
    return program;
}

}  // namespace tessera::ops::moe_bmm
