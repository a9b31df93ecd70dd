// SPDX-License-Identifier: Apache-2.0
// Products on one core whose operands are already in its L1: the time of the compute kernel alone.
// Source   tt-metal tests/scripts/test_moreh_microbenchmark.py; mesham/tt-sim
//          perfbench/tensixbench.
#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/loop_args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/instruction_issue.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/matmul/kernels/args.hpp"
#include "ops/op.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/tensor.hpp"

namespace tessera::score {
namespace {

constexpr std::uint8_t kIn0 = 0;
constexpr std::uint8_t kIn1 = 1;
constexpr std::uint8_t kOut = 16;
constexpr std::uint8_t kPartials = 24;

void add_feeder(Program& program, std::uint32_t count, std::uint32_t pages0, std::uint32_t pages1) {
    (void)CreateKernel(
        program, "bench/accuracy/kernels/feeder.cpp", kOnlyCore,
        ops::reader_config(FeederArgs{.count = count, .in0_pages = pages0, .in1_pages = pages1}));
}

std::uint32_t tiles_of(const Parameters& parameters, std::string_view key) {
    const std::uint32_t elements = parameters.count(key);
    expressible(elements > 0 && elements % kTileSide == 0, "{} is {}, not whole tiles", key,
                elements);
    return elements / kTileSide;
}

struct Blocks {
    std::uint32_t rows;
    std::uint32_t columns;
    std::uint32_t k;
    std::uint32_t num_k;
};

Program block_program(const Parameters& parameters, const Blocks& blocks) {
    const DataFormat format = parameters.format("dtype");
    const GridSize subblock = parameters.grid("subblock");  // rows x columns
    expressible(blocks.rows % subblock.columns == 0 && blocks.columns % subblock.rows == 0,
                "a subblock of {}x{} does not divide {}x{} tiles", subblock.columns, subblock.rows,
                blocks.rows, blocks.columns);
    Program program = CreateProgram();
    add_tiles(program, kIn0, blocks.rows * blocks.k, format);
    add_tiles(program, kIn1, blocks.k * blocks.columns, format);
    add_tiles(program, kOut, blocks.rows * blocks.columns, format);
    add_tiles(program, kPartials, blocks.rows * blocks.columns, format);
    add_feeder(program, blocks.num_k, blocks.rows * blocks.k, blocks.k * blocks.columns);
    (void)CreateKernel(
        program, "ops/matmul/kernels/block_compute.cpp", kOnlyCore,
        ComputeConfig{.math_fidelity = parameters.fidelity("fidelity"),
                      .fp32_dest_acc_en = parameters.flag_or("fp32_dest_acc", false),
                      .named_compile_args = ops::named(ops::matmul::BlockComputeArgs{
                          .block_h = blocks.rows,
                          .block_w = blocks.columns,
                          .block_k = blocks.k,
                          .num_k_blocks = blocks.num_k,
                          .subblock_h = subblock.columns,
                          .subblock_w = subblock.rows,
                          .accumulates_in_l1 = parameters.flag_or("packer_l1_acc", false) ? 1U : 0U,
                          .changes_format = 0,
                          .num_out_blocks = 1})});
    return program;
}

}  // namespace

Prediction predict_resident_blocks(const Row& row, const Parameters& parameters,
                                   const Model& model) {
    expressible(row.workload.starts_with("matmul_block on one core"),
                "workload {}: not matmul_block on one core", row.workload);
    const Blocks blocks{tiles_of(parameters, "M"), tiles_of(parameters, "N"),
                        tiles_of(parameters, "K_per_block"), parameters.count("k_blocks")};
    Bench bench(model);
    const Replays replays = bench.run(block_program(parameters, blocks));
    return as_time(row, replays.kernel_span_cycles(), model);
}

Prediction predict_tile_loop(const Row& row, const Parameters& parameters, const Model& model) {
    constexpr std::uint32_t kProducts = 512;
    if (row.workload.starts_with("Tensix instruction issue")) {
        return predict_instruction_issue(row, parameters, model);
    }
    expressible(row.workload.starts_with("matmul_tiles loop"),
                "workload {}: neither a loop of products nor of one instruction", row.workload);
    const DataFormat format =
        parameters.has("dtype") ? parameters.format("dtype") : DataFormat::Float16_b;
    Program program = CreateProgram();
    add_tiles(program, kIn0, 1, format);
    add_tiles(program, kIn1, 1, format);
    add_tiles(program, kOut, 1, format);
    add_feeder(program, 1, 1, 1);
    (void)CreateKernel(program, "bench/accuracy/kernels/matmul_tile_loop.cpp", kOnlyCore,
                       ops::compute_config(MatmulTileLoopArgs{.count = kProducts},
                                           {.math_fidelity = parameters.fidelity("fidelity")}));
    Bench bench(model);
    const Prediction loop = bench.run(std::move(program)).zone_cycles("loop", Among::Longest);
    return as_time(row, loop.as([](double cycles) { return cycles / kProducts; }), model);
}

}  // namespace tessera::score
