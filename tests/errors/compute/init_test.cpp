// SPDX-License-Identifier: Apache-2.0
// One missing or wrong init per test, with the whole message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::fault_of;
using ::testing::MatchesRegex;

struct Case {
    const char* name;
    void (*kernel)();
    const char* message;
};

void no_init() {
    add_tiles(0, 0, 0, 0, 0);
}
void only_the_common_init() {
    binary_op_init_common(0, 0, 16);
    mul_tiles(0, 0, 0, 0, 0);
}
void add_after_mul_init() {
    mul_tiles_init(0, 0);
    add_tiles(0, 0, 0, 0, 0);
}
void plain_after_broadcast_init() {
    add_bcast_rows_init_short(0, 0);
    add_tiles(0, 0, 0, 0, 0);
}
void copy_after_matmul_init() {
    mm_init(0, 0, 16);
    copy_tile(0, 0, 0);
}
void matmul_after_copy_init() {
    copy_tile_to_dst_init_short(0);
    matmul_tiles(0, 0, 0, 0, 0);
}
void matmul_block_after_add_init() {
    add_tiles_init(0, 0);
    matmul_block(0, 0, 0, 0, 0, 0, 1, 1, 1);
}
void reduce_of_another_dimension() {
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 0, 16);
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_COL>(0, 0, 0, 0, 0);
}
void dest_reuse_of_another_source() {
    using enum EltwiseBinaryReuseDestType;
    binary_dest_reuse_tiles_init<ELWADD, DEST_TO_SRCA>(0);
    binary_dest_reuse_tiles<ELWADD, DEST_TO_SRCB>(0, 0, 0);
}
void other_transpose_than_the_init() {
    mm_init(0, 0, 16, 0);
    matmul_tiles(0, 0, 0, 0, 0, 1);
}
void copy_after_tilize_uninit() {
    tilize_init(0, 1, 16);
    tilize_uninit(0, 16);
    copy_tile(0, 0, 0);
}
void exp_without_init() {
    exp_tile(0);
}
void div_binary_without_init() {
    div_binary_tile(0, 1, 0);
}
void pack_tile_while_rows_are_packed() {
    pack_untilize_dest_init<1>(16);
    cb_reserve_back(16, 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
}
void pack_rows_without_init() {
    cb_reserve_back(16, 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_untilize_dest<1>(16);
}
void one_of_two_transposes() {
    copy_tile_to_dst_init_short(0, 1);
}

class Inits : public ::testing::TestWithParam<Case> {};

TEST_P(Inits, AreChecked) {
    ComputeCore core;
    core.supply(0, {tile::random_bf16_tile(1)});
    core.add_buffer(16);
    tile_regs_acquire();

    EXPECT_THAT(fault_of(GetParam().kernel), MatchesRegex(GetParam().message));
}

#define HERE R"( \(.*init_test.cpp:[0-9]+\))"

INSTANTIATE_TEST_SUITE_P(
    Mistakes, Inits,
    ::testing::Values(
        Case{"None", no_init,
             "UndefinedBehavior: add_tiles without add_tiles_init: no init armed an operation"},
        Case{"CommonOnly", only_the_common_init,
             "UndefinedBehavior: mul_tiles without mul_tiles_init: no init armed an operation"},
        Case{"AddAfterMul", add_after_mul_init,
             "UndefinedBehavior: add_tiles after mul_tiles_init" HERE
             ": add_tiles_init is missing"},
        Case{"PlainAfterBroadcast", plain_after_broadcast_init,
             "UndefinedBehavior: add_tiles after add_bcast_rows_init_short" HERE
             ": add_tiles_init is missing"},
        Case{"CopyAfterMatmul", copy_after_matmul_init,
             "UndefinedBehavior: copy_tile after mm_init" HERE
             ": copy_tile_to_dst_init_short is missing"},
        Case{"MatmulAfterCopy", matmul_after_copy_init,
             "UndefinedBehavior: matmul_tiles after copy_tile_to_dst_init_short" HERE
             ": mm_init is missing"},
        Case{"BlockAfterAdd", matmul_block_after_add_init,
             "UndefinedBehavior: matmul_block after add_tiles_init" HERE
             ": mm_block_init is missing"},
        Case{"ReduceDimension", reduce_of_another_dimension,
             "UndefinedBehavior: reduce_tile after reduce_init" HERE
             ": reduce_init of the same arguments is missing"},
        Case{"DestReuse", dest_reuse_of_another_source,
             "UndefinedBehavior: binary_dest_reuse_tiles after binary_dest_reuse_tiles_init" HERE
             ": binary_dest_reuse_tiles_init of the same arguments is missing"},
        Case{"OtherTranspose", other_transpose_than_the_init,
             "UndefinedBehavior: matmul_tiles with transpose = 1 after mm_init with transpose = 0"},
        Case{"CopyAfterTilize", copy_after_tilize_uninit,
             "UndefinedBehavior: copy_tile without copy_tile_to_dst_init_short: no init armed an "
             "operation"},
        Case{"Exp", exp_without_init,
             "UndefinedBehavior: exp_tile: exp_tile_init has not run in this launch, which loads "
             "the function's constants"},
        Case{"DivBinary", div_binary_without_init,
             "UndefinedBehavior: div_binary_tile: div_binary_tile_init has not run in this launch, "
             "which loads the function's constants"},
        Case{"TileWhileRows", pack_tile_while_rows_are_packed,
             "UndefinedBehavior: pack_tile while the packer writes rows: pack_untilize_uninit is "
             "missing"},
        Case{"RowsWithoutInit", pack_rows_without_init,
             "UndefinedBehavior: pack_untilize_dest: the packer writes tiles, "
             "pack_untilize_dest_init or pack_untilize_init is missing"},
        Case{"OneTranspose", one_of_two_transposes,
             "Unimplemented: copy_tile_to_dst_init_short with only one of transpose = 1 and "
             "transpose_within_16x16_face = 0"}),
    [](const auto& suite) { return suite.param.name; });

#undef HERE

}  // namespace
}  // namespace tessera
