// SPDX-License-Identifier: Apache-2.0
// Sums over an outer dimension of tiles interleaved over L1, as in DeepSeek's latent attention
// after an all-gather.
// Sources
// - tt-metal models/demos/deepseek_v3/tests/fused_op_unit_tests/mla/test_reduce_deepseek.py:
//   ttnn.experimental.fast_reduce_nc over dim 1 of [1, 8, 32, 2112], bfloat16 tiles, input and
//   output in L1_MEMORY_CONFIG, HiFi4 with a 32-bit DST.
// - ttnn/cpp/ttnn/operations/experimental/reduction/fast_reduce_nc: output tiles distributed row by
//   row, round robin; up to 8 tiles per barrier, space for two such stacks, a tile of zeros from
//   the zero area.
#include <utility>

#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/models/tile_moves.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

constexpr std::uint8_t kZerosCb = 1;
constexpr std::uint8_t kSumsCb = 16;

/// Returns each core's first output tile and number of tiles. The distance between a core's tiles
/// is the number of cores.
ops::SharedWork deal_in_turn(const ArchSpec& arch, std::uint32_t tiles) {
    const GridSize grid = arch.workers.compute;
    const auto [num_cores, all, group_1, group_2, per_core_1, per_core_2] =
        split_work_to_cores(CoreCoord{grid.columns, grid.rows}, tiles, RowWise::Yes);
    ops::SharedWork work{all, {}};
    for (const CoreCoord core : grid_to_cores(num_cores, grid.columns, grid.rows, RowWise::Yes)) {
        const auto first = static_cast<std::uint32_t>(work.shares.size());
        work.shares.push_back({core, first, group_1.contains(core) ? per_core_1 : per_core_2});
    }
    return work;
}

void add_reader(Program& program, const ops::SharedWork& work, const Move& move, const L1Spec& l1) {
    const auto num_cores = static_cast<std::uint32_t>(work.shares.size());
    std::vector<std::uint32_t> args{move.input.spec.shape[1], move.output.buffer.num_pages,
                                    num_cores, static_cast<std::uint32_t>(l1.zeros.value),
                                    static_cast<std::uint32_t>(l1.zeros_size.value)};
    TensorAccessorArgs(move.input.buffer).append_to(args);
    const KernelHandle reader =
        CreateKernel(program, "bench/accuracy/kernels/models/stack_read.cpp", work.cores,
                     ReaderDataMovementConfig(std::move(args)));
    for (const ops::WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {move.input.buffer.address, share.first, share.count});
    }
}

void add_compute(Program& program, const ops::SharedWork& work, std::uint32_t height) {
    const ComputeConfig config{.math_fidelity = MathFidelity::HiFi4,
                               .fp32_dest_acc_en = true,
                               .compile_args = {height},
                               .defines = {},
                               .named_compile_args = {}};
    const KernelHandle compute =
        CreateKernel(program, "bench/accuracy/kernels/models/stack_sum.cpp", work.cores, config);
    for (const ops::WorkShare& share : work.shares) {
        SetRuntimeArgs(program, compute, share.core, {share.count});
    }
}

Program sum_program(const ArchSpec& arch, const Move& move) {
    const std::uint32_t height = move.input.spec.shape[1];
    const DataFormat format = move.input.spec.format;
    const ops::SharedWork work = deal_in_turn(arch, move.output.buffer.num_pages);
    Program program = CreateProgram();
    add_cb(program, work.cores, kTilesCb, 2 * height, format);
    add_cb(program, work.cores, kZerosCb, 1, DataFormat::Float16_b);
    add_cb(program, work.cores, kSumsCb, 2, format);
    add_reader(program, work, move, arch.l1);
    add_compute(program, work, height);
    add_tile_writer(program, work, move.output.buffer, kSumsCb,
                    static_cast<std::uint32_t>(work.shares.size()), EachPage::BehindBarrier);
    return program;
}

}  // namespace

Prediction predict_model_sum(const Row& row, const Parameters& parameters, const Model& model) {
    constexpr std::uint32_t kMostTilesABarrier = 8;
    const TensorSpec input{parameters.shape("shape"), parameters.format("dtype"), Layout::TILE};
    expressible(
        input.shape.size() == 4 && input.shape[0] == 1 && input.shape[1] <= kMostTilesABarrier,
        "the shape is not 1x1 to 8xROWSxCOLUMNS");
    TensorSpec output = input;
    output.shape[1] = 1;
    Bench bench(model);
    const Move move = allocate_move(bench, input, output);
    return as_time(row, bench.run(sum_program(model.arch, move)).kernel_span_cycles(), model);
}

}  // namespace tessera::score
