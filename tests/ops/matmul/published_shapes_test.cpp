// SPDX-License-Identifier: Apache-2.0
// The hand-tuned schedules of tt-metal's tech_reports/GEMM_FLOPS on the boards that it names are
// accepted and use every core.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/ops/matmul/matmul_cases.hpp"
#include "tests/ops/matmul/matmul_run.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera::ops::matmul {
namespace {

enum class Placed : std::uint8_t { Dram, Shards };

struct PublishedGemm {
    const char* arch;
    MatmulShape shape;
    std::uint32_t in0_block_w;
    std::array<std::uint32_t, 2> per_core;
    std::array<std::uint32_t, 2> out_block;
    Subblock out_subblock;
    DataFormat format;
    Placed placed;
};

constexpr const char* kWormhole = "wormhole_n150";
constexpr const char* kBlackhole = "blackhole_p150";
constexpr auto kBf16 = DataFormat::Float16_b;
constexpr auto kBfp8b = DataFormat::Bfp8_b;

const std::vector<PublishedGemm> kPublished{
    {kWormhole, {512, 512, 512}, 2, {2, 2}, {2, 2}, {1, 2}, kBf16, Placed::Shards},
    {kWormhole, {1024, 1024, 1024}, 4, {4, 4}, {4, 4}, {1, 4}, kBf16, Placed::Shards},
    {kWormhole, {1024, 1024, 2048}, 4, {4, 8}, {4, 8}, {1, 8}, kBf16, Placed::Shards},
    {kWormhole, {2048, 2048, 2048}, 8, {8, 8}, {8, 8}, {1, 8}, kBf16, Placed::Shards},
    {kWormhole, {2048, 2048, 3072}, 8, {8, 12}, {8, 12}, {1, 6}, kBf16, Placed::Shards},
    {kWormhole, {3072, 3072, 3072}, 3, {12, 12}, {12, 12}, {1, 6}, kBf16, Placed::Shards},
    {kWormhole, {3072, 3072, 4096}, 6, {12, 16}, {12, 16}, {4, 2}, kBf16, Placed::Dram},
    {kWormhole, {4096, 4096, 4096}, 16, {16, 16}, {8, 8}, {4, 2}, kBf16, Placed::Dram},
    {kWormhole, {8192, 8192, 8192}, 16, {32, 32}, {8, 8}, {4, 2}, kBf16, Placed::Dram},
    {kWormhole, {16384, 16384, 16384}, 16, {64, 64}, {8, 8}, {4, 2}, kBf16, Placed::Dram},
    {kWormhole, {512, 512, 512}, 2, {2, 2}, {2, 2}, {1, 2}, kBfp8b, Placed::Shards},
    {kWormhole, {1024, 1024, 1024}, 4, {4, 4}, {4, 4}, {1, 4}, kBfp8b, Placed::Shards},
    {kWormhole, {1024, 1024, 2048}, 4, {4, 8}, {4, 8}, {1, 8}, kBfp8b, Placed::Shards},
    {kWormhole, {2048, 2048, 2048}, 8, {8, 8}, {8, 8}, {1, 8}, kBfp8b, Placed::Shards},
    {kWormhole, {2048, 2048, 3072}, 8, {8, 12}, {8, 12}, {1, 6}, kBfp8b, Placed::Shards},
    {kWormhole, {3072, 3072, 3072}, 6, {12, 12}, {12, 12}, {1, 6}, kBfp8b, Placed::Shards},
    {kWormhole, {3072, 3072, 4096}, 6, {12, 16}, {12, 16}, {1, 8}, kBfp8b, Placed::Shards},
    {kWormhole, {4096, 4096, 4096}, 16, {16, 16}, {8, 8}, {4, 2}, kBfp8b, Placed::Dram},
    {kWormhole, {8192, 8192, 8192}, 16, {32, 32}, {8, 8}, {4, 2}, kBfp8b, Placed::Dram},
    {kWormhole, {16384, 16384, 16384}, 16, {64, 64}, {8, 8}, {4, 2}, kBfp8b, Placed::Dram},
    {kBlackhole, {1280, 1664, 1664}, 4, {4, 4}, {4, 4}, {1, 4}, kBf16, Placed::Shards},
    {kBlackhole, {2560, 3328, 3328}, 8, {8, 8}, {8, 8}, {1, 8}, kBf16, Placed::Shards},
    {kBlackhole, {5120, 6656, 6656}, 16, {16, 16}, {8, 8}, {4, 2}, kBf16, Placed::Dram},
};

MatmulSpec schedule_of(const PublishedGemm& gemm) {
    const TensorPlacement placement = gemm.placed == Placed::Shards
                                          ? TensorPlacement::L1BlockSharded
                                          : TensorPlacement::DramInterleaved;
    return {.schedule = MatmulSchedule::Multicast2D,
            .grid = {},
            .in0_block_w = gemm.in0_block_w,
            .per_core_m = gemm.per_core[0],
            .per_core_n = gemm.per_core[1],
            .out_block_h = gemm.out_block[0],
            .out_block_w = gemm.out_block[1],
            .out_subblock = gemm.out_subblock,
            .packer_l1_acc = true,
            .in0 = {placement, gemm.format},
            .in1 = {TensorPlacement::DramInterleaved, gemm.format},
            .out = {placement, gemm.format}};
}

std::string name_of_gemm(const ::testing::TestParamInfo<PublishedGemm>& info) {
    const PublishedGemm& gemm = info.param;
    return std::string(gemm.arch) + "_" + name_of(gemm.format) + "_" +
           std::to_string(gemm.shape.m) + "x" + std::to_string(gemm.shape.k) + "x" +
           std::to_string(gemm.shape.n);
}

class PublishedMatmul : public ::testing::TestWithParam<PublishedGemm> {};

TEST_P(PublishedMatmul, TakesEveryCoreOfTheBoard) {
    const ArchSpec arch = testing::shipped_arch(GetParam().arch);
    MatmulDevice device(arch);
    const MatmulSpec schedule = schedule_of(GetParam());
    const OperandLayouts layouts = operand_layouts(arch, GetParam().shape, schedule);
    const DeviceTensor in0 = device.allocate("in0", layouts.in0);
    const DeviceTensor in1 = device.allocate("in1", layouts.in1);
    const DeviceTensor out = device.allocate("out", layouts.out);

    const Program program = call_program(op(), arch, &schedule, {in0, in1}, {out});

    const GridSize grid = arch.workers.compute;
    EXPECT_EQ(program.kernels.back().processor(), Processor::Compute);
    EXPECT_EQ(program.kernels.back().cores.num_cores(), grid.columns * grid.rows);
}

INSTANTIATE_TEST_SUITE_P(GemmFlops, PublishedMatmul, ::testing::ValuesIn(kPublished), name_of_gemm);

class MatmulOnBoard : public ::testing::TestWithParam<MatmulCase> {};

TEST_P(MatmulOnBoard, IsExactOnSmallIntegers) {
    for (const char* arch : {kWormhole, kBlackhole}) {
        MatmulDevice device(testing::shipped_arch(arch));

        const Product product = device.run(GetParam().shape, GetParam().schedule, small_integer);

        EXPECT_EQ(count_wrong(product), 0U) << arch;
    }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Boards, MatmulOnBoard, ::testing::Values(
    MatmulCase{"cube_640", {640, 640, 640}, {.schedule = kGrid, .in0_block_w = 4, .out_subblock = {1, 3}}},
    MatmulCase{"cube_640_on_8x8", {640, 640, 640}, {.schedule = kGrid, .grid = {8, 8}, .in0_block_w = 2, .out_subblock = {3, 1}, .packer_l1_acc = true}},
    MatmulCase{"sharded_512", {512, 512, 512}, {.schedule = kGrid, .in0_block_w = 2, .out_subblock = {1, 2}, .packer_l1_acc = true, .in0 = kBlocks, .out = kBlocks}},
    MatmulCase{"sharded_512_bfp8", {512, 512, 512}, {.schedule = kGrid, .in0_block_w = 2, .out_subblock = {1, 2}, .packer_l1_acc = true, .in0 = kBfp8Blocks, .in1 = kBfp8, .out = kBfp8Blocks}},
    MatmulCase{"tiles", {416, 96, 320}, {.schedule = kMulti}},
    MatmulCase{"line_sharded_on_40_cores", {2560, 96, 192}, {.schedule = kLine, .in0_block_w = 3, .per_core_m = 2, .in0 = kHeights, .out = kHeights}}),
    name_of_case);
// clang-format on

}  // namespace
}  // namespace tessera::ops::matmul
