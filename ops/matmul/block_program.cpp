// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/block_program.hpp"

#include <map>
#include <string>
#include <utility>

#include "ops/matmul/circular_buffers.hpp"
#include "ops/matmul/kernel_args.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::matmul {
namespace {

/// Cores with the same feeding kernel.
struct KernelKey {
    Feed feed = Feed::Reads;
    NOC noc = NOC::NOC_0;
    friend constexpr auto operator<=>(const KernelKey&, const KernelKey&) = default;
};
using Groups = std::map<KernelKey, std::vector<const CoreRole*>>;

/// Merges neighbours in a row to one range. Roles are ordered row by row, so one pass finds all
/// ranges.
CoreRangeSet core_range_set(const std::vector<const CoreRole*>& roles) {
    std::vector<CoreRange> ranges;
    for (const CoreRole* role : roles) {
        const CoreCoord core = role->core;
        if (!ranges.empty() && ranges.back().end_coord.y == core.y &&
            ranges.back().end_coord.x + 1 == core.x) {
            ranges.back().end_coord = core;
        } else {
            ranges.emplace_back(core);
        }
    }
    return CoreRangeSet(std::move(ranges));
}

std::string in0_source(const MatmulSpec& schedule, Feed feed) {
    const std::string folder = "ops/matmul/kernels/";
    if (feed == Feed::Receives) {
        return folder + "in0_receiver.cpp";
    }
    if (feed == Feed::Reads) {
        return folder + "in0_sender.cpp";
    }
    return folder + (schedule.in0.placement == TensorPlacement::L1BlockSharded
                         ? "in0_block_sharded.cpp"
                         : "in0_height_sharded.cpp");
}

std::string in1_source(Feed feed) {
    return feed == Feed::Reads ? "ops/matmul/kernels/in1_sender_writer.cpp"
                               : "ops/matmul/kernels/in1_receiver_writer.cpp";
}

void add_in0_kernels(Program& program, const BlockLaunch& launch,
                     const std::vector<CoreRole>& roles) {
    Groups groups;
    for (const CoreRole& role : roles) {
        // A kernel has one source and one NoC, so cores are grouped by both. Runtime arguments hold
        // all differences inside of a group.
        groups[{role.in0, in0_noc(role)}].push_back(&role);
    }
    for (const auto& [key, members] : groups) {
        const KernelHandle kernel =
            CreateKernel(program, in0_source(launch.schedule, key.feed), core_range_set(members),
                         in0_config(launch, key.feed, key.noc));
        for (const CoreRole* role : members) {
            SetRuntimeArgs(program, kernel, role->core, in0_args(launch, *role));
        }
    }
}

void add_in1_kernels(Program& program, const BlockLaunch& launch,
                     const std::vector<CoreRole>& roles) {
    Groups groups;
    for (const CoreRole& role : roles) {
        groups[{role.in1, in1_noc(role)}].push_back(&role);
    }
    for (const auto& [key, members] : groups) {
        const KernelHandle kernel =
            CreateKernel(program, in1_source(key.feed), core_range_set(members),
                         in1_config(launch, key.feed, key.noc));
        for (const CoreRole* role : members) {
            SetRuntimeArgs(program, kernel, role->core, in1_args(launch, *role));
        }
    }
}

void add_compute(Program& program, const CoreRangeSet& cores, const Blocking& blocking,
                 const MatmulSpec& schedule) {
    // The packer adds or the kernel reloads; both sides must agree on the format of partial sums,
    // so one question decides it.
    const bool adds_in_l1 = accumulates_in_l1(blocking, schedule);
    ComputeConfig config{.math_fidelity = schedule.math_fidelity,
                         .fp32_dest_acc_en = schedule.fp32_dest_acc,
                         .unpack_to_dest_mode = {},
                         .compile_args = {},
                         .defines = {},
                         .named_compile_args = named(BlockComputeArgs{
                             .block_h = blocking.m.out_block,
                             .block_w = blocking.n.out_block,
                             .block_k = blocking.in0_block_w,
                             .num_k_blocks = blocking.num_k_blocks(),
                             .subblock_h = blocking.subblock.height,
                             .subblock_w = blocking.subblock.width,
                             .accumulates_in_l1 = adds_in_l1 ? 1U : 0U,
                             .changes_format = adds_in_l1 || schedule.fp32_dest_acc ? 1U : 0U,
                             .num_out_blocks = blocking.m.num_blocks() * blocking.n.num_blocks()})};
    // 32-bit partial sums must be reloaded unrounded. SrcA would truncate them to TF32, so the
    // unpacker writes them to DST directly.
    if (schedule.fp32_dest_acc) {
        config.unpack_to_dest_mode.assign(index_of(Cb::Partials) + 1, UnpackToDestMode::Default);
        config.unpack_to_dest_mode[index_of(Cb::Partials)] = UnpackToDestMode::UnpackToDestFp32;
    }
    CreateKernel(program, "ops/matmul/kernels/block_compute.cpp", cores, config);
}

// Each operand has a pair of its own: blocks of in0 and in1 arrive on different NoCs, in any order.
Handshake add_handshake(Program& program, const CoreRangeSet& cores) {
    const std::uint32_t replies = CreateSemaphore(program, cores, 0);
    return {replies, CreateSemaphore(program, cores, 0)};
}

}  // namespace

Program make_block_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                           const MatmulSpec& schedule) {
    const MatmulShape shape{inputs.in0.spec.shape[0], inputs.in0.spec.shape[1],
                            inputs.in1.spec.shape[1]};
    const Blocking blocking = block_up(arch, shape, schedule);
    const CoreRangeSet cores = cores_of(arch, blocking, schedule);
    const std::vector<CoreRole> roles = core_roles(arch, blocking, schedule);

    Program program = CreateProgram();
    BlockLaunch launch{arch, inputs, outputs, schedule, blocking, {}, {}};
    launch.in0 = add_handshake(program, cores);
    launch.in1 = add_handshake(program, cores);
    // Cores of a block-sharded in0 alternate between sending and receiving, so their own flag is
    // INVALID when they send. They multicast the flag from a third semaphore, which no kernel
    // writes.
    launch.valid = CreateSemaphore(program, cores, 1);
    add_buffers(program, cores, block_buffers(blocking, schedule), inputs, outputs);
    add_in0_kernels(program, launch, roles);
    add_in1_kernels(program, launch, roles);
    add_compute(program, cores, blocking, schedule);
    return program;
}

}  // namespace tessera::ops::matmul
