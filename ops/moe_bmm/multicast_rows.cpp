// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ops/moe_bmm/schedules.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::moe_bmm {
namespace {

/// Returns every core of the grid, row by row; a row of cores is a worker.
SharedBlocks all_cores(CoreCoord grid, TileDistribution distribution) {
    // A row of cores works on one expert at a time: with 2 048 tokens of four experts gate took 854
    // 807 cycles instead of 1 249 770. With 128 tokens of 16 experts it is 3.7 times slower than
    // multi_core, as eight cores do all reading.
    SharedBlocks work{CoreRangeSet(CoreRange({0, 0}, {grid.x - 1, grid.y - 1})),
                      {},
                      SplitBy::Device,
                      distribution};
    for (std::uint32_t y = 0; y < grid.y; ++y) {
        for (std::uint32_t x = 0; x < grid.x; ++x) {
            work.shares.push_back({.core = {x, y}, .index = y * grid.x + x});
        }
    }
    return work;
}

struct Handshake {
    std::uint32_t replies = 0;  ///< semaphores of ops/shared/kernels/block_handshake.hpp
    std::uint32_t flag = 0;
};

/// Returns the arguments of BlockSender, of the row's first core, then those of BlockReceiver, of
/// the others.
std::vector<std::uint32_t> handshake_args(const ArchSpec& arch, CoreCoord grid, CoreCoord core,
                                          Handshake semaphores) {
    const CoreCoord first = on_noc(arch, {0, core.y});
    const CoreCoord begin = on_noc(arch, {grid.x > 1 ? 1U : 0U, core.y});
    // The receivers' rectangle leaves out the first core, which sends.
    const CoreCoord end = on_noc(arch, {grid.x - 1, core.y});
    const std::uint32_t others = core.x == 0 ? grid.x - 1 : 0;
    return {begin.x,
            begin.y,
            end.x,
            end.y,
            others,
            others,
            semaphores.replies,
            semaphores.flag,
            1,
            first.x,
            first.y,
            semaphores.replies,
            semaphores.flag};
}

void add_reader(Program& program, const SharedBlocks& work, CoreCoord grid, const BmmCall& call) {
    const Handshake semaphores{CreateSemaphore(program, work.cores, 0),
                               CreateSemaphore(program, work.cores, 0)};
    std::vector<std::uint32_t> args = reader_shapes(call);
    append_accessors(call, args);
    // The NoC of readers runs to the right, away from the first column.
    const KernelHandle reader = CreateKernel(program, "ops/moe_bmm/kernels/multicast_reader.cpp",
                                             work.cores, ReaderDataMovementConfig(std::move(args)));
    const Inputs& inputs = call.inputs;
    // Steps are shared by rows of the grid, in turn or in runs.
    const bool in_turn = work.distribution == TileDistribution::RoundRobin;
    for (const BlockShare& share : work.shares) {
        std::vector<std::uint32_t> words{inputs.input_hidden_state.buffer.address,
                                         inputs.expert_weights.buffer.address,
                                         inputs.num_routed_tokens.device.buffer.address,
                                         share.core.y,
                                         grid.y,
                                         in_turn ? 1U : 0U,
                                         share.core.x,
                                         grid.x};
        const auto more = handshake_args(call.arch, grid, share.core, semaphores);
        words.insert(words.end(), more.begin(), more.end());
        SetRuntimeArgs(program, reader, share.core, std::move(words));
    }
}

void add_compute(Program& program, const SharedBlocks& work, const BmmCall& call) {
    const MoeBmmSpec& schedule = call.schedule;
    // The same compute kernel as multi_core: weights arrive in the same buffer.
    const ComputeConfig config{.math_fidelity = schedule.math_fidelity,
                               .fp32_dest_acc_en = schedule.fp32_dest_acc,
                               .compile_args = {schedule.k_block, schedule.subblock.height,
                                                schedule.subblock.width, 0, kOutputCb},
                               .defines = {},
                               .named_compile_args = {}};
    const KernelHandle compute =
        CreateKernel(program, "ops/moe_bmm/kernels/compute.cpp", work.cores, config);
    for (const BlockShare& share : work.shares) {
        SetRuntimeArgs(program, compute, share.core, {work.compute_count(share), 0, call.k_tiles});
    }
}

}  // namespace

Program multicast_rows_program(const BmmCall& call) {
    const MoeBmmSpec& schedule = call.schedule;
    const CoreCoord grid = schedule_grid("moe_bmm", call.arch, schedule.grid);
    const SharedBlocks work = all_cores(grid, schedule.distribution);
    Program program = CreateProgram();
    add_input_buffers(program, work.cores, call);
    add_reader(program, work, grid, call);
    add_compute(program, work, call);
    // Only the reader knows when there are no more steps, so that it ends the writer.
    add_writer(program, work,
               {.tiles = call.tiles, .block = schedule.subblock, .reader_ends = true},
               call.outputs.output, call.inputs.num_routed_tokens);
    return program;
}

}  // namespace tessera::ops::moe_bmm
