// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "emu/base/round_up.hpp"
#include "ops/moe_bmm/schedules.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::moe_bmm {
namespace {

using valid_tiles::Cb;

/// Subblocks of all experts' tokens.
std::uint32_t num_blocks(const TokenTiles& tiles, std::span<const std::uint32_t> counts,
                         Subblock subblock) {
    // Experts without tokens have no blocks; a last block of rows may be short.
    std::uint32_t rows = 0;
    for (const std::uint32_t count : counts) {
        rows += div_up(num_token_tiles(count), subblock.height);
    }
    return rows * div_up(tiles.column_tiles, subblock.width);
}

SharedBlocks share(const ArchSpec& arch, const TokenTiles& tiles,
                   std::span<const std::uint32_t> counts, const MoeBmmSpec& schedule) {
    // One core is the whole grid of single_core: the same kernels run on it.
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

/// The cores that work on one part of K.
struct KPart {
    SharedBlocks work;
    std::uint32_t first_k = 0;
    std::uint32_t end_k = 0;
};

/// Cores next to each other in the order of the split take the parts of a block; those left over
/// stay idle. On eight n150 gate took 409 793 cycles with four cores a block and 444 133 with one
/// (subblock [1, 3]).
std::vector<KPart> distribute_parts(const SharedBlocks& work, std::uint32_t k_tiles,
                                    const MoeBmmSpec& schedule) {
    if (schedule.k_split == 1) {
        return {{work, 0, k_tiles}};
    }
    // Cores that do not fill a group stay idle: a group must have all of its parts.
    const std::uint32_t blocks = div_up(k_tiles, schedule.k_block);
    const auto groups = static_cast<std::uint32_t>(work.shares.size()) / schedule.k_split;
    std::vector<KPart> parts;
    for (std::uint32_t part = 0; part < schedule.k_split; ++part) {
        // Parts of K are whole blocks, as the kernels read them.
        KPart mine{{{}, {}, work.split_by, work.distribution},
                   part * blocks / schedule.k_split * schedule.k_block,
                   std::min((part + 1) * blocks / schedule.k_split * schedule.k_block, k_tiles)};
        std::vector<CoreRange> cores;
        for (std::uint32_t group = 0; group < groups; ++group) {
            const CoreCoord core = work.shares[group * schedule.k_split + part].core;
            // All cores of a group have the same index, so that each finds the same blocks.
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

InnerRange inner_range(const KPart& part) {
    return {.first_k = part.first_k, .end_k = part.end_k};
}

void add_reader(Program& program, const std::vector<KPart>& parts, const BmmCall& call) {
    // The kernel finds its share from the counts if the device splits.
    const auto args = named(reader_args(call), parts.front().work.split_args());
    const ReaderTensors tensors = reader_tensors(call);
    const KernelHandle reader = CreateKernel(program, "ops/moe_bmm/kernels/reader.cpp",
                                             cores_of(parts), reader_config(args, tensors));
    for (const KPart& part : parts) {
        for (const BlockShare& share : part.work.shares) {
            set_args(program, reader, share.core, addresses_of(tensors),
                     part.work.reader_args(share), inner_range(part));
        }
    }
}

// Every part has the same compute kernel. Only the first one adds, and only it packs to the output.
void add_compute(Program& program, const KPart& part, const BmmCall& call,
                 std::uint32_t num_parts_arriving, Cb output) {
    const KernelHandle compute =
        add_compute_kernel(program, part.work.cores, call, num_parts_arriving, output);
    for (const BlockShare& share : part.work.shares) {
        set_args(program, compute, share.core, part.work.compute_args(share), inner_range(part));
    }
}

/// Returns the cores of the other parts of K, for the cores that add their sums.
OtherParts others_of(Program& program, const ArchSpec& arch, const std::vector<KPart>& parts) {
    OtherParts others;
    if (parts.size() == 1) {
        return others;
    }
    // On the cores of all parts, since a semaphore has one address for both ends.
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

// Parts wait in kPartBlocks blocks, so that the next product starts before the last one was asked
// for.
void add_part_buffers(Program& program, const std::vector<KPart>& parts,
                      const MoeBmmSpec& schedule) {
    const std::uint32_t tiles = schedule.subblock.height * schedule.subblock.width;
    const DataFormat format = part_format(schedule);
    add_tile_buffer(program, cores_of(parts), Cb::Part, format, kPartBlocks * tiles);
    add_tile_buffer(program, cores_of(parts), Cb::Arrived, format, (schedule.k_split - 1) * tiles);
}

/// Adds the kernels that send the sums of part `index` to the cores of the first one.
void add_sender(Program& program, const BmmCall& call, const std::vector<KPart>& parts,
                std::uint32_t index, const OtherParts& others) {
    const RoutedTokens& counts = call.inputs.num_routed_tokens;
    const SharedBlocks& work = parts[index].work;
    add_counts_buffer(program, work.cores, Cb::WriterCounts, counts);
    add_blocks_buffer(program, work.cores, Cb::WriterBlocks);
    const SenderTensors tensors{.counts = &counts.device.buffer};
    const auto args =
        named(tile_args(call.tiles, counts), block_args(call.schedule.subblock),
              SenderArgs{.ready_semaphore = others.ready, .arrived_semaphore = others.arrived});
    const KernelHandle sender = CreateKernel(program, "ops/moe_bmm/kernels/send_part.cpp",
                                             work.cores, writer_config(args, tensors));
    for (std::size_t group = 0; group < work.shares.size(); ++group) {
        const CoreCoord adder = on_noc(call.arch, parts.front().work.shares[group].core);
        set_args(program, sender, work.shares[group].core, addresses_of(tensors),
                 work.reader_args(work.shares[group]),
                 AdderCore{.x = adder.x, .y = adder.y, .part = index});
    }
}

}  // namespace

void add_input_buffers(Program& program, const CoreRangeSet& cores, const BmmCall& call) {
    const MoeBmmSpec& schedule = call.schedule;
    // One CB holds cb_depth blocks of K; reading is ahead by that many.
    const std::uint32_t k_tiles = schedule.cb_depth * schedule.k_block;
    add_tile_buffer(program, cores, Cb::Input, DataFormat::Float16_b,
                    k_tiles * schedule.subblock.height);
    add_tile_buffer(program, cores, Cb::SecondInput, DataFormat::Float16_b,
                    k_tiles * schedule.subblock.width);
    add_counts_buffer(program, cores, Cb::ReaderCounts, call.inputs.num_routed_tokens);
    add_blocks_buffer(program, cores, Cb::ComputeBlocks);
}

NamedCompileArgs reader_args(const BmmCall& call) {
    return named(tile_args(call.tiles, call.inputs.num_routed_tokens),
                 block_args(call.schedule.subblock),
                 InnerArgs{.k_tiles = call.k_tiles, .k_block = call.schedule.k_block});
}

ReaderTensors reader_tensors(const BmmCall& call) {
    return {.input = &call.inputs.input_hidden_state.buffer,
            .weights = &call.inputs.expert_weights.buffer,
            .counts = &call.inputs.num_routed_tokens.device.buffer};
}

KernelHandle add_compute_kernel(Program& program, const CoreRangeSet& cores, const BmmCall& call,
                                std::uint32_t num_parts_arriving, Cb output) {
    const MoeBmmSpec& schedule = call.schedule;
    const auto args =
        named(block_args(schedule.subblock),
              InnerArgs{.k_tiles = call.k_tiles, .k_block = schedule.k_block},
              ComputeArgs{.num_parts_arriving = num_parts_arriving, .cb_out = index_of(output)});
    ComputeConfig config = compute_config(args, {.math_fidelity = schedule.math_fidelity,
                                                 .fp32_dest_acc_en = schedule.fp32_dest_acc});
    if (num_parts_arriving != 0 && schedule.fp32_dest_acc) {
        // On its way through a source register a sum would be cut to TF32.
        unpack_to_fp32(config, Cb::Arrived);
    }
    return CreateKernel(program, "ops/moe_bmm/kernels/compute.cpp", cores, config);
}

Program multi_core_program(const BmmCall& call) {
    const auto& [arch, inputs, outputs, schedule, tiles, k_tiles] = call;
    const RoutedTokens& counts = inputs.num_routed_tokens;
    const SharedBlocks work = share(arch, tiles, counts.host, schedule);
    // With one part this is the plain schedule: no semaphores and no senders.
    const std::vector<KPart> parts = distribute_parts(work, k_tiles, schedule);

    Program program = CreateProgram();
    add_input_buffers(program, cores_of(parts), call);
    if (parts.size() > 1) {
        add_part_buffers(program, parts, schedule);
    }
    const OtherParts others = others_of(program, arch, parts);
    add_reader(program, parts, call);
    add_compute(program, parts.front(), call, static_cast<std::uint32_t>(parts.size()) - 1,
                Cb::Output);
    for (std::uint32_t part = 1; part < parts.size(); ++part) {
        add_compute(program, parts[part], call, 0, Cb::Part);
        add_sender(program, call, parts, part, others);
    }
    add_writer(program, parts.front().work,
               {.tiles = tiles, .block = schedule.subblock, .others = others}, outputs.output,
               counts);
    return program;
}

}  // namespace tessera::ops::moe_bmm
