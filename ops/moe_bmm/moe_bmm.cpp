// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_bmm/moe_bmm.hpp"

#include <algorithm>
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

constexpr std::uint32_t kPartBlocks = 2;  // of a core's own sums, on their way out

// Partial sums are as exact as DST.
DataFormat part_format(const MoeBmmSpec& schedule) {
    return schedule.fp32_dest_acc ? DataFormat::Float32 : DataFormat::Float16_b;
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

// With k_split, the parts of other cores arrive on one and leave from each of the others; the same
// buffers lie on all of them, since a core is told an address of another by its own.
std::uint64_t bytes_of_parts(const MoeBmmSpec& schedule) {
    const std::uint64_t tiles = std::uint64_t{schedule.subblock.height} * schedule.subblock.width;
    const std::uint64_t blocks = schedule.k_split - 1 + kPartBlocks;
    return schedule.k_split == 1 ? 0 : blocks * tiles * tile_bytes(part_format(schedule));
}

void judge_k_split(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<MoeBmmSpec>();
    if (schedule.k_split == 1) {
        return;
    }
    const GridSize whole = context.arch.workers.compute;
    const GridSize grid = schedule.grid == GridSize{} ? whole : schedule.grid;
    judge.require(
        schedule.schedule == BmmSchedule::MultiCore && schedule.k_split <= grid.columns * grid.rows,
        "k_split",
        fmt::format("is {}; the schedule has {} cores", schedule.k_split,
                    schedule.schedule == BmmSchedule::MultiCore ? grid.columns * grid.rows : 1));
    judge.require(schedule.split_by == SplitBy::Device, "k_split",
                  fmt::format("is {}; it needs split_by device", schedule.k_split));
    const std::uint32_t k_tiles = div_up(context.inputs[1].spec.shape[1], kTileRows);
    const std::uint32_t k_blocks = div_up(k_tiles, std::max(schedule.k_block, 1U));
    judge.require(schedule.k_split <= k_blocks, "k_split",
                  fmt::format("is {}; K has {} blocks of {} tiles", schedule.k_split, k_blocks,
                              schedule.k_block));
    const std::uint32_t tiles = schedule.subblock.height * schedule.subblock.width;
    judge.require(tiles < half_of_dst(context.arch, schedule), "subblock",
                  fmt::format("has {} tiles; with k_split, half of DST holds 1 to {} and one of "
                              "another core's",
                              tiles, half_of_dst(context.arch, schedule) - 1));
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
        bytes_of_parts(schedule) +
        bytes_beside_inputs(arch, schedule, context.inputs[0].spec.shape[0]);
    judge_k_split(context, judge);
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

/// The cores that work on one part of K.
struct KPart {
    SharedBlocks work;
    std::uint32_t first_k = 0;
    std::uint32_t end_k = 0;
};

/// Cores next to each other in the order of the split take the parts of a block; those left over
/// stay idle.
std::vector<KPart> deal_parts(const SharedBlocks& work, std::uint32_t k_tiles,
                              const MoeBmmSpec& schedule) {
    if (schedule.k_split == 1) {
        return {{work, 0, k_tiles}};
    }
    const std::uint32_t blocks = div_up(k_tiles, schedule.k_block);
    const auto groups = static_cast<std::uint32_t>(work.shares.size()) / schedule.k_split;
    std::vector<KPart> parts;
    for (std::uint32_t part = 0; part < schedule.k_split; ++part) {
        KPart mine{{{}, {}, work.split_by, work.distribution},
                   part * blocks / schedule.k_split * schedule.k_block,
                   std::min((part + 1) * blocks / schedule.k_split * schedule.k_block, k_tiles)};
        std::vector<CoreRange> cores;
        for (std::uint32_t group = 0; group < groups; ++group) {
            const CoreCoord core = work.shares[group * schedule.k_split + part].core;
            mine.work.shares.push_back({.core = core, .index = group});
            cores.emplace_back(core);
        }
        mine.work.cores = CoreRangeSet(std::move(cores));
        parts.push_back(std::move(mine));
    }
    return parts;
}

CoreRangeSet cores_of(const std::vector<KPart>& parts) {
    std::vector<CoreRange> cores;
    for (const KPart& part : parts) {
        cores.insert(cores.end(), part.work.cores.ranges().begin(), part.work.cores.ranges().end());
    }
    return CoreRangeSet(std::move(cores));
}

void add_reader(Program& program, const std::vector<KPart>& parts, const TokenTiles& tiles,
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
                                    schedule.split_by == SplitBy::Device ? 1U : 0U};
    TensorAccessorArgs(inputs.input_hidden_state.buffer).append_to(args);
    TensorAccessorArgs(inputs.expert_weights.buffer).append_to(args);
    TensorAccessorArgs(counts).append_to(args);
    const KernelHandle reader =
        CreateKernel(program, "ops/moe_bmm/kernels/reader.cpp", cores_of(parts),
                     ReaderDataMovementConfig(std::move(args)));
    for (const KPart& part : parts) {
        for (const BlockShare& share : part.work.shares) {
            const auto split = part.work.reader_args(share);
            SetRuntimeArgs(
                program, reader, share.core,
                {inputs.input_hidden_state.buffer.address, inputs.expert_weights.buffer.address,
                 counts.address, split[0], split[1], split[2], part.first_k, part.end_k});
        }
    }
}

void add_compute(Program& program, const KPart& part, std::uint32_t parts_arriving,
                 std::uint8_t cb_out, const MoeBmmSpec& schedule) {
    ComputeConfig config{.math_fidelity = schedule.math_fidelity,
                         .fp32_dest_acc_en = schedule.fp32_dest_acc,
                         .compile_args = {schedule.k_block, schedule.subblock.height,
                                          schedule.subblock.width, parts_arriving, cb_out},
                         .defines = {},
                         .named_compile_args = {}};
    if (parts_arriving != 0 && schedule.fp32_dest_acc) {
        // On its way through a source register a sum would be cut to TF32.
        config.unpack_to_dest_mode.resize(kArrivedCb + 1U, UnpackToDestMode::Default);
        config.unpack_to_dest_mode[kArrivedCb] = UnpackToDestMode::UnpackToDestFp32;
    }
    const KernelHandle compute =
        CreateKernel(program, "ops/moe_bmm/kernels/compute.cpp", part.work.cores, config);
    for (const BlockShare& share : part.work.shares) {
        SetRuntimeArgs(program, compute, share.core,
                       {part.work.compute_count(share), part.first_k, part.end_k});
    }
}

CoreCoord on_noc(const ArchSpec& arch, CoreCoord core) {
    const CoreCoord origin = arch.workers.virtual_origin;
    return {origin.x + core.x, origin.y + core.y};
}

/// What the cores with the first part of K are told of the others.
OtherParts others_of(Program& program, const ArchSpec& arch, const std::vector<KPart>& parts) {
    OtherParts others;
    if (parts.size() == 1) {
        return others;
    }
    others.ready = CreateSemaphore(program, cores_of(parts), 0);
    others.arrived = CreateSemaphore(program, cores_of(parts), 0);
    others.cores.resize(parts.front().work.shares.size());
    for (std::size_t part = 1; part < parts.size(); ++part) {
        for (std::size_t group = 0; group < others.cores.size(); ++group) {
            others.cores[group].push_back(on_noc(arch, parts[part].work.shares[group].core));
        }
    }
    return others;
}

void add_part_buffers(Program& program, const std::vector<KPart>& parts,
                      const MoeBmmSpec& schedule) {
    const std::uint32_t tiles = schedule.subblock.height * schedule.subblock.width;
    const DataFormat format = part_format(schedule);
    add_tile_buffer(program, cores_of(parts), kPartCb, format, kPartBlocks * tiles);
    add_tile_buffer(program, cores_of(parts), kArrivedCb, format, (schedule.k_split - 1) * tiles);
}

/// The kernels that send the sums of part `index` to the cores of the first one.
void add_sender(Program& program, const ArchSpec& arch, const std::vector<KPart>& parts,
                std::uint32_t index, const TokenTiles& tiles, const RoutedTokens& counts,
                const OtherParts& others, const MoeBmmSpec& schedule) {
    const Buffer& buffer = counts.device.buffer;
    const SharedBlocks& work = parts[index].work;
    add_counts_buffer(program, work.cores, kWriterCountsCb, counts);
    add_blocks_buffer(program, work.cores, kWriterBlocksCb);
    std::vector<std::uint32_t> args{tiles.num_experts,       buffer.aligned_page_size,
                                    tiles.column_tiles,      schedule.subblock.height,
                                    schedule.subblock.width, others.ready,
                                    others.arrived};
    TensorAccessorArgs(buffer).append_to(args);
    const KernelHandle sender = CreateKernel(program, "ops/moe_bmm/kernels/send_part.cpp",
                                             work.cores, WriterDataMovementConfig(std::move(args)));
    for (std::size_t group = 0; group < work.shares.size(); ++group) {
        const auto split = work.reader_args(work.shares[group]);
        const CoreCoord adder = on_noc(arch, parts.front().work.shares[group].core);
        SetRuntimeArgs(program, sender, work.shares[group].core,
                       {buffer.address, split[0], split[1], split[2], adder.x, adder.y, index});
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
    field<&MoeBmmSpec::k_split>(
        "k_split", "1", "cores that share the K of a block; the first adds the sums of the others",
        Limits{1, 64}),
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

    const std::vector<KPart> parts = deal_parts(work, k_tiles, schedule);

    Program program = CreateProgram();
    add_input_buffers(program, cores_of(parts), counts, schedule);
    if (parts.size() > 1) {
        add_part_buffers(program, parts, schedule);
    }
    const OtherParts others = others_of(program, arch, parts);
    add_reader(program, parts, tiles, k_tiles, inputs, schedule);
    add_compute(program, parts.front(), static_cast<std::uint32_t>(parts.size()) - 1, kOutputCb,
                schedule);
    for (std::uint32_t part = 1; part < parts.size(); ++part) {
        add_compute(program, parts[part], 0, kPartCb, schedule);
        add_sender(program, arch, parts, part, tiles, counts, others, schedule);
    }
    add_writer(program, parts.front().work,
               {.tiles = tiles, .block = schedule.subblock, .others = others}, outputs.output,
               counts);
    return program;
}

}  // namespace tessera::ops::moe_bmm
