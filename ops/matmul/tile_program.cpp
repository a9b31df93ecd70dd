// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/tile_program.hpp"

#include "ops/matmul/circular_buffers.hpp"
#include "ops/shared/program_builder.hpp"
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

TileRange range_of(const WorkShare& share) {
    return {.first_tile = share.first, .num_tiles = share.count};
}

void add_reader(Program& program, const SharedWork& work, const Tiles& tiles,
                const Inputs& inputs) {
    const TileReaderTensors tensors{.in0 = &inputs.in0.buffer, .in1 = &inputs.in1.buffer};
    const KernelHandle reader = CreateKernel(
        program, "ops/matmul/kernels/tile_reader.cpp", work.cores,
        reader_config(TileReaderArgs{.k_tiles = tiles.k, .n_tiles = tiles.n}, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, reader, share.core, addresses_of(tensors), range_of(share));
    }
}

void add_compute(Program& program, const SharedWork& work, const Tiles& tiles,
                 const MatmulSpec& schedule) {
    const KernelHandle compute = CreateKernel(
        program, "ops/matmul/kernels/tile_compute.cpp", work.cores,
        ComputeConfig{.math_fidelity = schedule.math_fidelity,
                      .fp32_dest_acc_en = schedule.fp32_dest_acc,
                      .unpack_to_dest_mode = {},
                      .compile_args = {},
                      .defines = {},
                      .named_compile_args = named(TileComputeArgs{.k_tiles = tiles.k})});
    for (const WorkShare& share : work.shares) {
        set_args(program, compute, share.core, TileCount{.num_tiles = share.count});
    }
}

void add_writer(Program& program, const SharedWork& work, const Outputs& outputs) {
    const OutTensors tensors{.out = &outputs.out.buffer};
    const KernelHandle writer = CreateKernel(program, "ops/matmul/kernels/tile_writer.cpp",
                                             work.cores, writer_config(NoArgs{}, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core, addresses_of(tensors), range_of(share));
    }
}

}  // namespace

Program make_tile_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                          const MatmulSpec& schedule) {
    const Tiles tiles = tiles_of(inputs);
    // Single tiles spread evenly over any grid, but each core reads a row of in0 and a column of
    // in1 for every tile. Source: tt-metal programming_examples/matmul/matmul_multi_core.
    const SharedWork work = share_work("matmul", arch, schedule.grid, tiles.m * tiles.n);
    Program program = CreateProgram();
    add_buffers(program, work.cores, tile_buffers(schedule), inputs, outputs);
    add_reader(program, work, tiles, inputs);
    add_compute(program, work, tiles, schedule);
    add_writer(program, work, outputs);
    return program;
}

}  // namespace tessera::ops::matmul
