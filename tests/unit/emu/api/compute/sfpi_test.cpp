// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/sfpi.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "tessera/kernel/compute/reshuffle_rows.hpp"
#include "tessera/kernel/compute/sfpi_functions.hpp"
#include "tests/compute_core.hpp"

// Each v_if declares an object of the same name, as a nested scope of a kernel does.
#pragma GCC diagnostic ignored "-Wshadow"

namespace tessera {
namespace {

using sfpi::dst_reg;
using sfpi::vFloat;
using sfpi::vInt;
using sfpi::vUInt;
using testing::ComputeCore;

/// An acquired DST. Element (row, column) of tile t is 1000·t + 32·row + column.
class Sfpi : public ::testing::Test {
protected:
    explicit Sfpi(const ComputeConfig& config = testing::kFp32Dst) : core_(config) {
        tile_regs_acquire();
        for (std::uint32_t tile = 0; tile < 3; ++tile) {
            for (std::uint32_t row = 0; row < kTileRows; ++row) {
                for (std::uint32_t column = 0; column < kTileColumns; ++column) {
                    at(tile, row, column) = static_cast<float>(1000 * tile + 32 * row + column);
                }
            }
        }
    }
    float& at(std::uint32_t tile, std::uint32_t row, std::uint32_t column) {
        return core_.thread().compute->dst.update(tile, "test", {})[tile_offset(row, column)];
    }
    ComputeCore core_;
};

// tt-isa-documentation, SFPLOAD: lane l of an address is row l / 8 of four and every second column.
TEST_F(Sfpi, VectorHoldsFourRowsOfEverySecondColumn) {
    const vFloat even = dst_reg[0];
    const vFloat odd = dst_reg[1];
    EXPECT_EQ(even.lane(0), 0.0F);
    EXPECT_EQ(even.lane(7), 14.0F);
    EXPECT_EQ(even.lane(8), 32.0F);
    EXPECT_EQ(even.lane(31), 3 * 32 + 14.0F);
    EXPECT_EQ(odd.lane(0), 1.0F);

    const vFloat second_face = dst_reg[8];
    EXPECT_EQ(second_face.lane(0), 16.0F);
    const vFloat third_face = dst_reg[16];
    EXPECT_EQ(third_face.lane(0), 16 * 32.0F);
    const vFloat second_tile = dst_reg[32];
    EXPECT_EQ(second_tile.lane(0), 1000.0F);
}

// Element (row, column) is 32·row + column in tile 0 and 1000 more in tile 1.
TEST_F(Sfpi, RowsAreAddedWhereAListSays) {
    std::array<std::uint8_t, 32> targets{};
    targets.fill(255);
    targets[1] = 30;
    targets[17] = 2;
    targets[31] = 2;

    kernel::add_rows_at(targets.data());

    EXPECT_EQ(at(1, 30, 0), 1000.0F + 30 * 32 + 32);
    EXPECT_EQ(at(1, 30, 31), 1000.0F + 30 * 32 + 31 + 32 + 31);
    EXPECT_EQ(at(1, 2, 18), 1000.0F + 2 * 32 + 18 + (17 * 32 + 18) + (31 * 32 + 18));
    EXPECT_EQ(at(1, 3, 18), 1000.0F + 3 * 32 + 18);
    EXPECT_EQ(at(0, 1, 5), 32.0F + 5);
}

TEST_F(Sfpi, ConvertRoundsToBfloat16) {
    // Between 1 and 1 + 2^-7: half-way goes to the even mantissa.
    const sfpi::vFloat16b tie =
        sfpi::convert<sfpi::vFloat16b>(vFloat(1.0F + 0x1p-8F), sfpi::RoundMode::Nearest);
    const vFloat above = sfpi::convert<sfpi::vFloat16b>(vFloat(1.0F + 0x1.8p-8F));
    EXPECT_EQ(tie.lane(31), 1.0F);
    EXPECT_EQ(above.lane(0), 1.0F + 0x1p-7F);
    EXPECT_EQ(sfpi::sFloat16b(0xBF80U).lane(0), -1.0F);
}

TEST_F(Sfpi, ConditionsLimitAssignmentsAndStoresToTheirLanes) {
    const vFloat x = dst_reg[0];
    vFloat y = -1.0F;
    v_if(x < 8.0F) {
        y = 1.0F;
    }
    v_elseif(x < 64.0F) {
        y = 2.0F;
        v_if(x >= 40.0F) {
            y = 3.0F;
        }
        v_endif;
    }
    v_else {
        y = 4.0F;
        dst_reg[0] = 99.0F;
    }
    v_endif;

    EXPECT_EQ(y.lane(0), 1.0F);   // 0
    EXPECT_EQ(y.lane(4), 2.0F);   // 8
    EXPECT_EQ(y.lane(13), 3.0F);  // 32 + 10
    EXPECT_EQ(y.lane(16), 4.0F);  // 64
    EXPECT_EQ(at(0, 0, 0), 0.0F) << "lanes outside of the branch keep their values";
    EXPECT_EQ(at(0, 2, 0), 99.0F);
    y = 7.0F;
    EXPECT_EQ(y.lane(16), 7.0F) << "all lanes are active behind v_endif";
}

TEST_F(Sfpi, FunctionRunsOnTheFacesOfItsVectorMode) {
    const auto negate = [] {
        for (int i = 0; i < 8; ++i) {
            dst_reg[0] = -dst_reg[0];
            dst_reg++;
        }
    };
    _llk_math_eltwise_unary_sfpu_params_(negate, 1, VectorMode::C);
    EXPECT_EQ(at(1, 3, 5), -(1000 + 96 + 5.0F));
    EXPECT_EQ(at(1, 31, 15), -(1000 + 31 * 32 + 15.0F));
    EXPECT_EQ(at(1, 3, 16), 1000 + 96 + 16.0F) << "C works on faces 0 and 2";

    _llk_math_eltwise_unary_sfpu_params_(negate, 2, VectorMode::RC);
    EXPECT_EQ(at(2, 31, 31), -(2000 + 1023.0F));
}

TEST_F(Sfpi, FunctionOfTwoTilesReachesThemByTheirVectors) {
    _llk_math_eltwise_binary_sfpu_params_(
        [](std::uint32_t a, std::uint32_t b, std::uint32_t out) {
            for (std::uint32_t i = 0; i < 8; ++i) {
                dst_reg[32 * out + i] = dst_reg[32 * a + i] + dst_reg[32 * b + i];
            }
        },
        0, 1, 2);
    EXPECT_EQ(at(2, 0, 0), 1000.0F);
    EXPECT_EQ(at(2, 31, 31), 2 * 1023 + 1000.0F);
}

TEST_F(Sfpi, IntegersAndFieldsOfFloatsAreBits) {
    const vFloat eight = 8.5F;
    EXPECT_EQ(sfpi::exexp(eight).lane(3), 3);
    EXPECT_EQ(sfpi::exexp_nodebias(eight).lane(3), 130);
    EXPECT_EQ(sfpi::exman9(eight).lane(0), 1 << 19);
    EXPECT_EQ(sfpi::setexp(eight, 127).lane(0), 1.0625F);
    EXPECT_EQ(sfpi::setsgn(eight, 1).lane(0), -8.5F);
    EXPECT_EQ(sfpi::reinterpret<vUInt>(eight).lane(0), 0x41080000U);
    EXPECT_EQ(sfpi::shft(vUInt(0x80U), vInt(-4)).lane(0), 8U);
    EXPECT_EQ((vInt(-8) + 3).lane(0), -5);
    EXPECT_EQ(sfpi::lz(vUInt(1U)).lane(0), 31);
    dst_reg[0] = vInt(-7);
    EXPECT_EQ(vInt(dst_reg[0]).lane(9), -7);
}

// Ties go to even: 1 + 2^-8 lies between the bfloat16 values 1 and 1 + 2^-7.
TEST_F(Sfpi, ConversionToBfloat16RoundsToNearestEven) {
    const auto rounded = [](float x) {
        return sfpi::reinterpret<vFloat>(sfpi::float_to_fp16b(vFloat(x))).lane(0);
    };
    EXPECT_EQ(rounded(1.0F + 0x1p-8F), 1.0F);
    EXPECT_EQ(rounded(1.0F + 0x3p-8F), 1.0F + 0x1p-6F);
    EXPECT_EQ(rounded(1.0F + 0x1.1p-8F), 1.0F + 0x1p-7F);
}

// Slope and offset of 8 bits: 0x10 is 2^-1, 0x00 is 1, 0xFF is 0 (tt-isa-documentation, SFPLUT).
TEST_F(Sfpi, LookUpTableIsLinearByPieces) {
    const vUInt below_1 = 0x10FFU;  // x / 2
    const vUInt below_2 = 0xFF00U;  // 1
    const vUInt from_2 = 0x0010U;   // x + 1/2
    EXPECT_EQ(sfpi::lut(0.5F, below_1, below_2, from_2).lane(0), 0.25F);
    EXPECT_EQ(sfpi::lut(-1.5F, below_1, below_2, from_2).lane(0), -1.0F);
    EXPECT_EQ(sfpi::lut(4.0F, below_1, below_2, from_2).lane(0), 4.5F);
}

class SfpiIn16Bits : public Sfpi {
protected:
    SfpiIn16Bits() : Sfpi(ComputeConfig{}) {}
};

TEST_F(SfpiIn16Bits, StoreTruncatesToBfloat16) {
    dst_reg[0] = vFloat(1.0F + 0x1.8p-8F);
    EXPECT_EQ(at(0, 0, 0), 1.0F);
}

TEST_F(Sfpi, LibraryFunctionsGiveTheirFormulas) {
    EXPECT_EQ(ckernel::sfpu::_sfpu_reciprocal_<2>(vFloat(-4.0F)).lane(0), -0.25F);
    EXPECT_EQ(ckernel::sfpu::_reciprocal_compat_<3>(vFloat(-4.0F)).lane(0), 0.25F);
    // 0xC000 is -2 in bfloat16.
    EXPECT_FLOAT_EQ(
        (ckernel::sfpu::_ckernel_sfpu_exp_accurate_<true, true>(vFloat(0.5F), 0xC000).lane(0)),
        std::exp(-1.0F));
    ckernel::sfpu::calculate_softplus_body<false, true>(2.0F, 0.5F, 20.0F);
    EXPECT_FLOAT_EQ(at(0, 0, 0), 0.5F * std::log(2.0F));
    EXPECT_EQ(at(0, 0, 14), 14.0F) << "2 · 14 is above the threshold";
}

}  // namespace
}  // namespace tessera
