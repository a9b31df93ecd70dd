// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using tile::at;
using tile::make_tile;
using tile::random_bf16_tile;
using tile::TileValues;

class Eltwise : public ::testing::Test {
protected:
    Eltwise() {
        core_.supply(0, {a_});
        core_.supply(1, {b_});
        core_.add_buffer(16, DataFormat::Float32);
        binary_op_init_common(0, 1, 16);
    }

    template <class Math, class Expected>
    void expect(Math math, Expected expected) {
        const TileValues result = core_.run_to(16, math);
        for (std::uint32_t row = 0; row < kTileRows; ++row) {
            for (std::uint32_t column = 0; column < kTileColumns; ++column) {
                // Sums and products of two bf16 values round once to fp32 here.
                ASSERT_EQ(at(result, row, column), static_cast<float>(expected(row, column)))
                    << row << ", " << column;
            }
        }
    }
    double a(std::uint32_t row, std::uint32_t column) const { return at(a_, row, column); }
    double b(std::uint32_t row, std::uint32_t column) const { return at(b_, row, column); }

    const TileValues a_ = random_bf16_tile(1);
    const TileValues b_ = random_bf16_tile(2);
    ComputeCore core_;
};

TEST_F(Eltwise, AddSubAndMulMeetPlainArithmetic) {
    add_tiles_init(0, 1);
    expect([] { add_tiles(0, 1, 0, 0, 0); }, [&](auto r, auto c) { return a(r, c) + b(r, c); });
    sub_tiles_init(0, 1);
    expect([] { sub_tiles(0, 1, 0, 0, 0); }, [&](auto r, auto c) { return a(r, c) - b(r, c); });
    mul_tiles_init(0, 1);
    expect([] { mul_tiles(0, 1, 0, 0, 0); }, [&](auto r, auto c) { return a(r, c) * b(r, c); });
}

TEST_F(Eltwise, AddReplacesDstUnlessArmedToAccumulate) {
    add_tiles_init(0, 1);
    expect(
        [] {
            add_tiles(0, 1, 0, 0, 0);
            add_tiles(0, 1, 0, 0, 0);
        },
        [&](auto r, auto c) { return a(r, c) + b(r, c); });

    add_tiles_init(0, 1, true);
    expect(
        [] {
            fill_tile(0, 0.0F);
            add_tiles(0, 1, 0, 0, 0);
            add_tiles(0, 1, 0, 0, 0);
        },
        [&](auto r, auto c) { return 2.0F * static_cast<float>(a(r, c) + b(r, c)); });
}

TEST_F(Eltwise, MulAlwaysAddsToDst) {
    mul_tiles_init(0, 1);
    expect(
        [] {
            mul_tiles(0, 1, 0, 0, 0);
            mul_tiles(0, 1, 0, 0, 0);
        },
        [&](auto r, auto c) { return 2 * a(r, c) * b(r, c); });
}

// Element-wise ops move the first operand to SrcA, which keeps 4 mantissa bits in LoFi, and the
// second to SrcB, which keeps 6. A matmul does the opposite.
TEST(EltwiseFidelity, LoFiDropsMoreOfTheFirstOperand) {
    ComputeCore core({.math_fidelity = MathFidelity::LoFi, .fp32_dest_acc_en = true});
    const TileValues one = make_tile([](auto, auto) { return 1.0; });
    const TileValues fine = make_tile([](auto, auto) { return 1.0 + 0x1p-5; });
    core.supply(0, {one, fine});
    core.supply(1, {one, fine});
    core.add_buffer(16, DataFormat::Float32);
    mul_tiles_init(0, 1);

    EXPECT_EQ(core.run_to(16, [] { mul_tiles(0, 1, 1, 0, 0); })[0], 1.0F);
    EXPECT_EQ(core.run_to(16, [] { mul_tiles(0, 1, 0, 1, 0); })[0], 1.0F + 0x1p-5F);
}

TEST_F(Eltwise, BroadcastsRowColumnOrElementOfTheSecondOperand) {
    add_bcast_rows_init_short(0, 1);
    expect([] { add_tiles_bcast_rows(0, 1, 0, 0, 0); },
           [&](auto r, auto c) { return a(r, c) + b(0, c); });
    sub_bcast_cols_init_short(0, 1);
    expect([] { sub_tiles_bcast<BroadcastType::COL>(0, 1, 0, 0, 0); },
           [&](auto r, auto c) { return a(r, c) - b(r, 0); });
    init_bcast<ELWMUL, BroadcastType::SCALAR>(0, 1, 16);
    expect([] { any_tiles_bcast<ELWMUL, BroadcastType::SCALAR>(0, 1, 0, 0, 0); },
           [&](auto r, auto c) { return a(r, c) * b(0, 0); });
}

TEST_F(Eltwise, BroadcastsAnyRowOfTheSecondOperand) {
    add_bcast_rows_init_short(0, 1);
    expect([] { add_tiles_bcast_rows(0, 1, 0, 0, 0, 5); },
           [&](auto r, auto c) { return a(r, c) + b(5, c); });
    // In the lower faces.
    init_bcast<ELWSUB, BroadcastType::ROW>(0, 1, 16);
    expect([] { sub_tiles_bcast<BroadcastType::ROW>(0, 1, 0, 0, 0, 31); },
           [&](auto r, auto c) { return a(r, c) - b(31, c); });
}

TEST_F(Eltwise, UnaryBroadcastSpreadsOneTile) {
    unary_bcast_init<BroadcastType::COL>(1, 16);
    expect([] { unary_bcast<BroadcastType::COL>(1, 0, 0); }, [&](auto r, auto) { return b(r, 0); });
}

TEST_F(Eltwise, DestReuseTakesDstAsFirstOrSecondOperand) {
    using enum EltwiseBinaryReuseDestType;
    constexpr float kInDst = 0.5F;

    binary_dest_reuse_tiles_init<ELWSUB, DEST_TO_SRCA>(0);
    expect(
        [] {
            fill_tile(0, kInDst);
            binary_dest_reuse_tiles<ELWSUB, DEST_TO_SRCA>(0, 0, 0);
        },
        [&](auto r, auto c) { return double{kInDst} - a(r, c); });
    binary_dest_reuse_tiles_init<ELWSUB, DEST_TO_SRCB>(0);
    expect(
        [] {
            fill_tile(0, kInDst);
            binary_dest_reuse_tiles<ELWSUB, DEST_TO_SRCB>(0, 0, 0);
        },
        [&](auto r, auto c) { return a(r, c) - double{kInDst}; });
}

TEST(EltwiseRounding, SixteenBitDstRoundsTheSum) {
    ComputeCore core(ComputeConfig{});
    core.supply(0, {make_tile([](auto, auto) { return 256.0; })});
    core.supply(1, {make_tile([](auto, auto) { return 3.0; })});
    core.add_buffer(16, DataFormat::Float32);
    add_tiles_init(0, 1);

    EXPECT_EQ(core.run_to(16, [] { add_tiles(0, 1, 0, 0, 0); })[0], 260.0F) << "steps of 2, tie up";
}

}  // namespace
}  // namespace tessera
