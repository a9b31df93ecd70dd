// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/llk_tiles.hpp"

#include <gtest/gtest.h>

#include "tessera/kernel/compute/instructions.hpp"
#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::fault_of;
using tile::make_tile;

/// Tile of (row, column) -> 2·row + column, and one of 3.
class LlkTiles : public ::testing::Test {
protected:
    LlkTiles() {
        core_.supply(0, {make_tile([](auto row, auto column) {
                         return static_cast<float>(2 * row + column);
                     })});
        core_.supply(1, {make_tile([](auto, auto) { return 3.0F; })});
        core_.add_buffer(16);
        llk_unpack_hw_configure<true>(0, 1);
        llk_pack_hw_configure<true>(16);
    }
    ComputeCore core_;
};

TEST_F(LlkTiles, CopyTakesTheTileThatUnpackNamed) {
    llk_unpack_A_init<BroadcastType::NONE, false, EltwiseBinaryReuseDestType::NONE>(0, 0, 0);
    llk_math_eltwise_unary_datacopy_init<A2D, true, BroadcastType::NONE>(0);
    const auto out = core_.run_to(16, [] {
        llk_unpack_A<BroadcastType::NONE, false>(0, 0);
        llk_math_eltwise_unary_datacopy<A2D, true, BroadcastType::NONE>(0);
    });
    EXPECT_EQ(tile::at(out, 4, 20), 28.0F);
}

TEST_F(LlkTiles, CopyWithColumnBroadcastRepeatsColumnZero) {
    llk_math_eltwise_unary_datacopy_init<B2D, true, BroadcastType::COL>(0);
    const auto out = core_.run_to(16, [] {
        llk_unpack_A<BroadcastType::COL, false>(0, 0);
        llk_math_eltwise_unary_datacopy<B2D, true, BroadcastType::COL>(0);
    });
    EXPECT_EQ(tile::at(out, 4, 20), 8.0F);
}

TEST_F(LlkTiles, ElementWiseOperationTakesBothTiles) {
    llk_unpack_AB_init<BroadcastType::NONE>(0, 1);
    llk_math_eltwise_binary_init<ELWSUB, BroadcastType::NONE>();
    const auto out = core_.run_to(16, [] {
        llk_unpack_AB(0, 1, 0, 0);
        llk_math_eltwise_binary<ELWSUB, BroadcastType::NONE, true, 4,
                                EltwiseBinaryReuseDestType::NONE>(0);
    });
    EXPECT_EQ(tile::at(out, 4, 20), 25.0F);
}

TEST_F(LlkTiles, OperationWithDstTakesItAsTheNamedOperand) {
    const auto out = core_.run_to(16, [] {
        fill_tile(0, 10.0F);
        llk_unpack_A<BroadcastType::NONE, true, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1, 0);
        llk_math_eltwise_binary<ELWSUB, BroadcastType::NONE, true, 4,
                                EltwiseBinaryReuseDestType::DEST_TO_SRCA>(0);
    });
    EXPECT_EQ(out[0], 7.0F);
}

TEST_F(LlkTiles, ReductionSumsRowsWithoutAMaskOfThePacker) {
    core_.supply(2, {make_tile([](auto, auto) { return 1.0F; })});
    llk_unpack_AB_reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 2);
    llk_math_reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW, true, 4>();
    const auto out = core_.run_to(16, [] {
        llk_unpack_AB_reduce<PoolType::SUM, ReduceDim::REDUCE_ROW>(1, 2, 0, 0);
        llk_math_reduce<PoolType::SUM, ReduceDim::REDUCE_ROW, true, 4>(0);
    });
    EXPECT_EQ(tile::at(out, 9, 0), 96.0F);
}

TEST_F(LlkTiles, SectionsAndBuffersAreThoseOfTheComputeApi) {
    llk_math_wait_for_dest_available();
    fill_tile(0, 5.0F);
    llk_math_dest_section_done<true>();
    llk_packer_wait_for_math_done();
    llk_wait_for_free_tiles<false, false, false>(16, 1);
    llk_pack<true, false, false>(0, 16);
    llk_pack_dest_section_done<true>();
    llk_push_tiles<false, false>(16, 1);
    EXPECT_EQ(core_.tile_at(16)[0], 5.0F);
    llk_wait_tiles(16, 1);
    llk_pop_tiles(16, 1);
    EXPECT_EQ(core_.core().circular_buffers[16].pages_acked, 1U);
}

TEST_F(LlkTiles, ScalarOperationKeepsFacesOutsideOfItsVectorMode) {
    const auto out = core_.run_to(16, [] {
        fill_tile(0, 4.0F);
        constexpr std::uint32_t kOne = 0x3F800000;
        llk_math_eltwise_unary_sfpu_binop_with_scalar<false, ADD_UNARY>(
            0, kOne, static_cast<int>(VectorMode::C));
    });
    EXPECT_EQ(tile::at(out, 31, 15), 5.0F);
    EXPECT_EQ(tile::at(out, 0, 16), 4.0F);
}

TEST_F(LlkTiles, SemaphoreThatOnlyALaterCallChangesIsRefused) {
    kernel::semaphore_init(0, 0, 1, {});
    EXPECT_EQ(fault_of([] { kernel::semaphore_wait_on_zero(0, {}); }),
              "Unsupported: t6_semaphore_wait_on_zero(0): the semaphore is 0 and a later call of "
              "this kernel would raise it; unpack, math and pack run in program order");
    kernel::semaphore_post(0, {});
    kernel::semaphore_wait_on_zero(0, {});
    EXPECT_EQ(fault_of([] { kernel::semaphore_wait_on_max(0, {}); }),
              "Unsupported: t6_semaphore_wait_on_max(0): the semaphore is 1, its maximum, and a "
              "later call of this kernel would lower it; unpack, math and pack run in program "
              "order");
    kernel::semaphore_get(0, {});
    kernel::semaphore_wait_on_max(0, {});
}

TEST_F(LlkTiles, InstructionEndsTheRunWithItsName) {
    EXPECT_EQ(fault_of([] { TTI_SFPMAD(0, 1, 2, 3, 0); }),
              "Unimplemented: TTI_SFPMAD is an instruction of the chip, which Tessera does not "
              "execute; allowed: functions of the compute API and sfpi vectors");
}

}  // namespace
}  // namespace tessera
