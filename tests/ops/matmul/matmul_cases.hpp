// SPDX-License-Identifier: Apache-2.0
// Schedules and shapes around the edges of blocks, for a grid of 4×3 cores.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "ops/matmul/matmul.hpp"

namespace tessera::ops::matmul {

struct MatmulCase {
    const char* name;
    MatmulShape shape;
    MatmulSpec schedule;
};

inline void PrintTo(const MatmulCase& test, std::ostream* out) {
    *out << test.name;
}

inline std::string name_of_case(const ::testing::TestParamInfo<MatmulCase>& info) {
    return info.param.name;
}

inline constexpr MatmulOperandSpec kDram{};
inline constexpr MatmulOperandSpec kL1{TensorPlacement::L1Interleaved, DataFormat::Float16_b};
inline constexpr MatmulOperandSpec kBlocks{TensorPlacement::L1BlockSharded, DataFormat::Float16_b};
inline constexpr MatmulOperandSpec kHeights{TensorPlacement::L1HeightSharded,
                                            DataFormat::Float16_b};
inline constexpr MatmulOperandSpec kBfp8{TensorPlacement::DramInterleaved, DataFormat::Bfp8_b};
inline constexpr MatmulOperandSpec kBfp8Blocks{TensorPlacement::L1BlockSharded, DataFormat::Bfp8_b};
inline constexpr MatmulOperandSpec kFloat32{TensorPlacement::DramInterleaved, DataFormat::Float32};

constexpr auto kSingle = MatmulSchedule::SingleCore;
constexpr auto kMulti = MatmulSchedule::MultiCore;
constexpr auto kGrid = MatmulSchedule::Multicast2D;
constexpr auto kLine = MatmulSchedule::Multicast1D;

// clang-format off
inline std::vector<MatmulCase> matmul_cases() {
    return {
        {"single_tile", {1, 1, 1}, {.schedule = kSingle}},
        {"single_below_a_tile", {31, 33, 95}, {.schedule = kSingle}},
        {"single_subblocks", {96, 128, 128}, {.schedule = kSingle, .in0_block_w = 2, .out_subblock = {1, 2}}},
        {"single_out_blocks", {150, 256, 200}, {.schedule = kSingle, .in0_block_w = 2, .out_block_h = 2, .out_block_w = 4, .out_subblock = {2, 2}}},
        {"single_l1_acc", {150, 256, 200}, {.schedule = kSingle, .in0_block_w = 2, .out_block_h = 2, .out_block_w = 4, .out_subblock = {2, 2}, .packer_l1_acc = true}},
        {"single_l1_acc_two_blocks", {64, 128, 64}, {.schedule = kSingle, .in0_block_w = 2, .packer_l1_acc = true}},
        {"single_fp32", {64, 192, 96}, {.schedule = kSingle, .out_subblock = {2, 1}, .fp32_dest_acc = true}},
        {"single_depth_one", {64, 192, 96}, {.schedule = kSingle, .in0_block_w = 3, .cb_depth = 1}},
        {"multi", {200, 96, 150}, {.schedule = kMulti}},
        {"multi_fewer_tiles_than_cores", {32, 96, 64}, {.schedule = kMulti, .fp32_dest_acc = true}},
        {"multi_more_tiles_than_cores", {128, 64, 160}, {.schedule = kMulti, .grid = {2, 2}, .cb_depth = 4}},
        {"multi_l1", {96, 96, 96}, {.schedule = kMulti, .in0 = kL1, .in1 = kL1, .out = kL1}},
        {"multi_bfp8", {96, 96, 96}, {.schedule = kMulti, .in0 = kBfp8, .in1 = kBfp8, .out = kBfp8}},
        {"grid", {192, 256, 256}, {.schedule = kGrid, .in0_block_w = 2, .out_subblock = {2, 2}}},
        {"grid_one_k_block", {192, 64, 256}, {.schedule = kGrid, .in0_block_w = 2}},
        {"grid_depth_one", {192, 256, 256}, {.schedule = kGrid, .cb_depth = 1}},
        {"grid_depth_three", {192, 256, 256}, {.schedule = kGrid, .cb_depth = 3}},
        {"grid_one_k_block_for_many_out_blocks", {384, 64, 512}, {.schedule = kGrid, .in0_block_w = 2, .out_block_h = 1, .out_block_w = 2}},
        {"grid_sharded_in0_depth_one", {192, 512, 256}, {.schedule = kGrid, .in0_block_w = 2, .cb_depth = 1, .in0 = kBlocks}},
        {"grid_uneven", {5 * 32, 160, 7 * 32 - 1}, {.schedule = kGrid}},
        {"grid_uneven_subblocks", {7 * 32, 128, 13 * 32}, {.schedule = kGrid, .in0_block_w = 2, .out_subblock = {3, 2}}},
        {"grid_fewer_blocks_than_cores", {64, 96, 96}, {.schedule = kGrid, .per_core_m = 1, .per_core_n = 2}},
        {"grid_one_row", {32, 96, 256}, {.schedule = kGrid}},
        {"grid_one_column", {96, 96, 32}, {.schedule = kGrid}},
        {"grid_one_core", {64, 96, 64}, {.schedule = kGrid, .grid = {1, 1}}},
        {"grid_out_blocks", {12 * 32, 256, 16 * 32}, {.schedule = kGrid, .in0_block_w = 2, .out_block_h = 2, .out_block_w = 2, .out_subblock = {1, 2}}},
        {"grid_out_blocks_uneven", {9 * 32, 256, 13 * 32}, {.schedule = kGrid, .in0_block_w = 2, .per_core_m = 4, .per_core_n = 4, .out_block_h = 2, .out_block_w = 2, .out_subblock = {2, 1}, .packer_l1_acc = true}},
        {"grid_l1_acc", {192, 320, 256}, {.schedule = kGrid, .in0_block_w = 2, .out_subblock = {2, 2}, .packer_l1_acc = true}},
        {"grid_fp32", {192, 320, 256}, {.schedule = kGrid, .in0_block_w = 2, .out_subblock = {2, 2}, .fp32_dest_acc = true}},
        {"grid_fp32_l1_acc", {192, 320, 256}, {.schedule = kGrid, .in0_block_w = 2, .out_subblock = {2, 2}, .fp32_dest_acc = true, .packer_l1_acc = true}},
        {"grid_bfp8", {192, 256, 256}, {.schedule = kGrid, .in0_block_w = 2, .in0 = kBfp8, .in1 = kBfp8, .out = kBfp8}},
        {"grid_bfp8_l1_acc", {192, 320, 256}, {.schedule = kGrid, .in0_block_w = 2, .packer_l1_acc = true, .in0 = kBfp8, .in1 = kBfp8, .out = kBfp8}},
        {"grid_bfp8_weights", {192, 256, 256}, {.schedule = kGrid, .in1 = kBfp8}},
        {"grid_float32", {96, 128, 128}, {.schedule = kGrid, .fp32_dest_acc = true, .in0 = kFloat32, .in1 = kFloat32, .out = kFloat32}},
        {"grid_sharded_in0", {192, 256, 256}, {.schedule = kGrid, .in0_block_w = 2, .in0 = kBlocks}},
        {"grid_sharded_in0_parts", {192, 512, 256}, {.schedule = kGrid, .in0_block_w = 2, .in0 = kBlocks}},
        {"grid_sharded_in0_one_row_parts", {96, 512, 256}, {.schedule = kGrid, .in0_block_w = 2, .in0 = kBlocks}},
        {"grid_sharded_in0_fewer_shards", {192, 160, 256}, {.schedule = kGrid, .in0_block_w = 1, .in0 = kBlocks}},
        {"grid_sharded_in0_one_column", {192, 96, 32}, {.schedule = kGrid, .in0_block_w = 1, .in0 = kBlocks}},
        {"grid_sharded_in0_one_column_whole", {192, 96, 32}, {.schedule = kGrid, .in0_block_w = 3, .in0 = kBlocks}},
        {"grid_sharded_in0_uneven", {5 * 32 - 3, 512, 7 * 32}, {.schedule = kGrid, .in0_block_w = 2, .in0 = kBlocks}},
        {"grid_sharded_in0_out_blocks", {12 * 32, 512, 256}, {.schedule = kGrid, .in0_block_w = 2, .out_block_h = 2, .out_block_w = 1, .in0 = kBlocks}},
        {"grid_sharded", {192, 256, 256}, {.schedule = kGrid, .in0_block_w = 2, .out_subblock = {1, 2}, .in0 = kBlocks, .out = kBlocks}},
        {"grid_sharded_l1_acc", {192, 320, 256}, {.schedule = kGrid, .in0_block_w = 1, .out_subblock = {2, 2}, .packer_l1_acc = true, .in0 = kBlocks, .out = kBlocks}},
        {"grid_sharded_out_uneven", {5 * 32, 320, 7 * 32}, {.schedule = kGrid, .packer_l1_acc = true, .out = kBlocks}},
        {"grid_sharded_out_blocks", {12 * 32, 320, 256}, {.schedule = kGrid, .out_block_h = 2, .out_subblock = {1, 2}, .packer_l1_acc = true, .out = kBlocks}},
        {"grid_sharded_bfp8", {192, 256, 256}, {.schedule = kGrid, .in0_block_w = 2, .packer_l1_acc = true, .in0 = kBfp8Blocks, .in1 = kBfp8, .out = kBfp8Blocks}},
        {"line_in1", {12 * 32, 192, 96}, {.schedule = kLine, .in0_block_w = 2}},
        {"line_in1_uneven", {13 * 32, 192, 96}, {.schedule = kLine, .in0_block_w = 2, .out_subblock = {1, 3}}},
        {"line_in1_part_of_a_row", {6 * 32, 192, 96}, {.schedule = kLine}},
        {"line_in1_one_core", {64, 192, 96}, {.schedule = kLine, .grid = {1, 1}}},
        {"line_in1_sharded", {13 * 32, 192, 96}, {.schedule = kLine, .in0_block_w = 6, .in0 = kHeights, .out = kHeights}},
        {"line_in1_sharded_k_blocks", {13 * 32, 192, 96}, {.schedule = kLine, .in0_block_w = 2, .in0 = kHeights}},
        {"line_in1_sharded_one_row_each", {12 * 32, 192, 96}, {.schedule = kLine, .in0_block_w = 2, .in0 = kHeights}},
        {"line_in1_sharded_out_blocks", {13 * 32, 192, 128}, {.schedule = kLine, .in0_block_w = 6, .out_block_h = 1, .out_block_w = 2, .in0 = kHeights}},
        {"line_in1_sharded_l1_acc", {24 * 32, 256, 64}, {.schedule = kLine, .in0_block_w = 2, .out_subblock = {2, 2}, .packer_l1_acc = true, .in0 = kHeights, .out = kHeights}},
        {"line_in0", {96, 192, 12 * 32}, {.schedule = kLine, .multicast_operand = MulticastOperand::In0, .in0_block_w = 2}},
        {"line_in0_uneven", {90, 192, 17 * 32}, {.schedule = kLine, .multicast_operand = MulticastOperand::In0, .in0_block_w = 2, .out_subblock = {1, 2}, .packer_l1_acc = true}},
        {"line_in0_part_of_a_row", {32, 96, 5 * 32}, {.schedule = kLine, .multicast_operand = MulticastOperand::In0}},
    };
}
// clang-format on

}  // namespace tessera::ops::matmul
