// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/tile_program.hpp"

#include <utility>

#include "ops/matmul/circular_buffers.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::matmul {
namespace {

struct Tiles {
    std::uint32_t m, k, n;
};

Tiles tiles_of(const Inputs& inputs) {
    const auto tiles = [](std::uint32_t extent) { return (extent + kTileRows - 1) / kTileRows; };
    return {tiles(inputs.in0.spec.shape[0]), tiles(inputs.in0.spec.shape[1]),
            tiles(inputs.in1.spec.shape[1])};
}

void add_reader(Program& program, const SharedWork& work, const Tiles& tiles,
                const Inputs& inputs) {
    std::vector<std::uint32_t> args{tiles.k, tiles.n};
    TensorAccessorArgs(inputs.in0.buffer).append_to(args);
    TensorAccessorArgs(inputs.in1.buffer).append_to(args);
    const KernelHandle reader = CreateKernel(program, "ops/matmul/kernels/tile_reader.cpp",
                                             work.cores, ReaderDataMovementConfig(std::move(args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(
            program, reader, share.core,
            {inputs.in0.buffer.address, inputs.in1.buffer.address, share.first, share.count});
    }
}

void add_compute(Program& program, const SharedWork& work, const Tiles& tiles,
                 const MatmulSpec& schedule) {
    const KernelHandle compute =
        CreateKernel(program, "ops/matmul/kernels/tile_compute.cpp", work.cores,
                     ComputeConfig{.math_fidelity = schedule.math_fidelity,
                                   .fp32_dest_acc_en = schedule.fp32_dest_acc,
                                   .unpack_to_dest_mode = {},
                                   .compile_args = {tiles.k},
                                   .defines = {},
                                   .named_compile_args = {}});
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, compute, share.core, {share.count});
    }
}

void add_writer(Program& program, const SharedWork& work, const Outputs& outputs) {
    std::vector<std::uint32_t> args;
    TensorAccessorArgs(outputs.out.buffer).append_to(args);
    const KernelHandle writer = CreateKernel(program, "ops/matmul/kernels/tile_writer.cpp",
                                             work.cores, WriterDataMovementConfig(std::move(args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, writer, share.core,
                       {outputs.out.buffer.address, share.first, share.count});
    }
}

}  // namespace

Program make_tile_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                          const MatmulSpec& schedule) {
    const Tiles tiles = tiles_of(inputs);
    const SharedWork work = share_work("matmul", arch, schedule.grid, tiles.m * tiles.n);
    Program program = CreateProgram();
    add_buffers(program, work.cores, tile_buffers(schedule), inputs, outputs);
    add_reader(program, work, tiles, inputs);
    add_compute(program, work, tiles, schedule);
    add_writer(program, work, outputs);
    return program;
}

}  // namespace tessera::ops::matmul
