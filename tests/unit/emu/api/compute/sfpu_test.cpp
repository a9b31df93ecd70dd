// SPDX-License-Identifier: Apache-2.0
// Effects of SFPU calls on DST. tests/unit/emu/tile/sfpu tests the values of the functions.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using tile::at;
using tile::make_tile;
using tile::random_bf16_tile;
using tile::TileValues;

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

struct Unary {
    const char* name;
    void (*init)();
    void (*call)();
    double (*expected)(double);
};

class SfpuUnary : public ::testing::TestWithParam<Unary> {};

TEST_P(SfpuUnary, AppliesTheFunctionToEveryElement) {
    ComputeCore core;
    const TileValues in = make_tile([](auto row, auto column) {
        return 0.125 + 0.25 * (static_cast<double>(row) - 15) + static_cast<double>(column) / 32;
    });
    core.supply(0, {in});
    core.add_buffer(16, DataFormat::Float32);
    copy_tile_init(0);
    GetParam().init();

    const TileValues out = core.run_to(16, [] {
        copy_tile(0, 0, 0);
        GetParam().call();
    });

    for (const std::size_t i : {0U, 100U, 300U, 555U, 1023U}) {
        const double expected = GetParam().expected(double{in[i]});
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(out[i])) << in[i];
        } else {
            EXPECT_NEAR(out[i], expected, std::abs(expected) * 0x1p-20) << in[i];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, SfpuUnary,
    ::testing::Values(
        Unary{"Exp", [] { exp_tile_init(); }, [] { exp_tile(0); },
              [](double x) { return std::exp(x); }},
        Unary{"ExpScaled", [] { exp_tile_init(); },
              [] { exp_tile<false, false, true>(0, VectorMode::RC, 0x3F00); },
              [](double x) { return std::exp(x / 2); }},
        // 0x40000000 and 0x40400000 are 2 and 3.
        Unary{"ExpScaledByItsInit", [] { exp_tile_init<true, true, 0x40000000>(); },
              [] { exp_tile<true>(0); }, [](double x) { return std::exp(2 * x); }},
        Unary{"ExpClamped", [] { exp_tile_init<true, 0x40400000U, InputClamping::None>(); },
              [] { exp_tile<true, false, InputClamping::None, 32>(0, VectorMode::None); },
              [](double x) { return std::exp(3 * x); }},
        Unary{"ExpScaledInSecondPlace", [] { exp_tile_init<false>(); },
              [] { exp_tile<false, true>(0, VectorMode::RC, 0x3F00); },
              [](double x) { return std::exp(x / 2); }},
        Unary{"Exp2", [] { exp2_tile_init(); }, [] { exp2_tile(0); },
              [](double x) { return std::exp2(x); }},
        Unary{"Silu", [] { silu_tile_init(); }, [] { silu_tile(0); },
              [](double x) { return x / (1 + std::exp(-x)); }},
        Unary{"Sigmoid", [] { sigmoid_tile_init(); }, [] { sigmoid_tile(0); },
              [](double x) { return 1 / (1 + std::exp(-x)); }},
        Unary{"Gelu", [] { gelu_tile_init(); }, [] { gelu_tile(0); },
              [](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }},
        Unary{"Recip", [] { recip_tile_init(); }, [] { recip_tile(0); },
              [](double x) { return 1 / x; }},
        Unary{"Sqrt", [] { sqrt_tile_init(); }, [] { sqrt_tile(0); },
              [](double x) { return std::sqrt(x); }},
        Unary{"Rsqrt", [] { rsqrt_tile_init(); }, [] { rsqrt_tile(0); },
              [](double x) { return 1 / std::sqrt(x); }},
        Unary{"Log", [] { log_tile_init(); }, [] { log_tile(0); },
              [](double x) { return std::log(x); }},
        Unary{"LogBase2", [] { log_with_base_tile_init(); },
              [] { log_with_base_tile(0, 0x3FB8AA3B); }, [](double x) { return std::log2(x); }},
        Unary{"Tanh", [] { tanh_tile_init(); }, [] { tanh_tile(0); },
              [](double x) { return std::tanh(x); }},
        Unary{"Abs", [] { abs_tile_init(); }, [] { abs_tile(0); },
              [](double x) { return std::abs(x); }},
        Unary{"Negative", [] { negative_tile_init(); }, [] { negative_tile(0); },
              [](double x) { return -x; }},
        Unary{"Square", [] { square_tile_init(); }, [] { square_tile(0); },
              [](double x) { return x * x; }},
        Unary{"Sign", [] { sign_tile_init(); }, [] { sign_tile(0); },
              [](double x) { return x > 0   ? 1.0
                                    : x < 0 ? -1.0
                                            : 0.0; }},
        Unary{"Power", [] { power_tile_init(); }, [] { power_tile(0, 3); },
              [](double x) { return x * x * x; }},
        Unary{"Relu", [] { relu_tile_init(); }, [] { relu_tile(0); },
              [](double x) { return std::fmax(x, 0); }},
        Unary{"ReluMax", [] { relu_max_tile_init(); }, [] { relu_max_tile(0, bits(1.5F)); },
              [](double x) { return std::fmin(std::fmax(x, 0), 1.5); }},
        Unary{"ReluMin", [] { relu_min_tile_init(); }, [] { relu_min_tile(0, bits(1.5F)); },
              [](double x) { return std::fmax(x, 1.5); }},
        Unary{"LeakyRelu", [] { leaky_relu_tile_init(); }, [] { leaky_relu_tile(0, bits(0.25F)); },
              [](double x) { return x >= 0 ? x : 0.25 * x; }},
        Unary{"AddScalar", [] { binop_with_scalar_tile_init(); },
              [] { add_unary_tile(0, bits(0.5F)); }, [](double x) { return x + 0.5; }},
        Unary{"SubScalar", [] { binop_with_scalar_tile_init(); },
              [] { sub_unary_tile(0, bits(0.5F)); }, [](double x) { return x - 0.5; }},
        Unary{"MulScalar", [] { binop_with_scalar_tile_init(); },
              [] { mul_unary_tile(0, bits(3.0F)); }, [](double x) { return 3 * x; }},
        Unary{"DivTakesTheReciprocal", [] { binop_with_scalar_tile_init(); },
              [] { div_unary_tile(0, bits(0.25F)); }, [](double x) { return x / 4; }},
        Unary{"RsubScalar", [] { binop_with_scalar_tile_init(); },
              [] { rsub_unary_tile(0, bits(0.5F)); }, [](double x) { return 0.5 - x; }},
        Unary{"Gtz", [] { gtz_tile_init(); }, [] { gtz_tile(0); },
              [](double x) { return x > 0 ? 1.0 : 0.0; }},
        Unary{"Lez", [] { lez_tile_init(); }, [] { lez_tile(0); },
              [](double x) { return x <= 0 ? 1.0 : 0.0; }}),
    [](const auto& suite) { return suite.param.name; });

TEST(SfpuVectorMode, LeavesTheOtherFacesAlone) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::Float32);

    const TileValues rows = core.run_to(16, [] {
        fill_tile(0, 2.0F);
        negative_tile(0);
        exp_tile_init();
        exp_tile(0, VectorMode::R);
    });
    const TileValues columns = core.run_to(16, [] {
        fill_tile(0, 2.0F);
        exp_tile(0, VectorMode::C);
    });

    EXPECT_NEAR(at(rows, 15, 31), std::exp(-2.0), 1e-6);
    EXPECT_EQ(at(rows, 16, 0), -2.0F);
    EXPECT_NEAR(at(columns, 31, 15), std::exp(2.0), 1e-5);
    EXPECT_EQ(at(columns, 0, 16), 2.0F);
}

// 256 + 3 in bf16 steps of 2: 258 when truncated, 260 when rounded to even.
TEST(SfpuStores, AddBinaryTruncatesForASixteenBitDstUnlessToldToRound) {
    ComputeCore core(ComputeConfig{});
    core.add_buffer(16, DataFormat::Float32);
    const auto fill = [] {
        fill_tile(0, 256.0F);
        fill_tile(1, 3.0F);
    };

    const TileValues truncated = core.run_to(16, [&] {
        fill();
        add_binary_tile(0, 1, 0);
    });
    const TileValues rounded = core.run_to(16, [&] {
        fill();
        add_binary_tile<DstRoundingMode::NearestEven>(0, 1, 0);
    });

    EXPECT_EQ(truncated[0], 258.0F);
    EXPECT_EQ(rounded[0], 260.0F);
}

TEST(SfpuBinary, CombinesTwoDstTiles) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::Float32);
    div_binary_tile_init();
    power_binary_tile_init();
    const auto result_of = [&core](void (*call)()) {
        return core.run_to(16, [call] {
            fill_tile(0, 6.0F);
            fill_tile(1, 2.0F);
            call();
        })[0];
    };

    EXPECT_EQ(result_of([] { add_binary_tile(0, 1); }), 8.0F);
    EXPECT_EQ(result_of([] { sub_binary_tile(0, 1, 0); }), 4.0F);
    EXPECT_EQ(result_of([] { rsub_binary_tile(0, 1, 0); }), -4.0F);
    EXPECT_EQ(result_of([] { mul_binary_tile(0, 1, 0); }), 12.0F);
    EXPECT_EQ(result_of([] { div_binary_tile(0, 1, 0); }), 3.0F);
    EXPECT_EQ(result_of([] { power_binary_tile(0, 1, 0); }), 36.0F);
    EXPECT_EQ(result_of([] { binary_max_tile(0, 1, 0); }), 6.0F);
    EXPECT_EQ(result_of([] { binary_min_tile(0, 1, 0); }), 2.0F);
}

std::uint32_t integer_result(ComputeCore& core, void (*call)()) {
    return bits(core.run_to(16, call)[9]);
}

TEST(SfpuInteger, WrapsAtTheWidthOfItsFormat) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::Int32);

    EXPECT_EQ(integer_result(core,
                             [] {
                                 fill_tile_int(0, 0xFFFFFFFF);
                                 fill_tile_int(1, 3);
                                 add_int_tile<DataFormat::Int32>(0, 1, 0);
                             }),
              2U);
    EXPECT_EQ(integer_result(core,
                             [] {
                                 fill_tile_int(0, 0xFFFF);
                                 fill_tile_int(1, 3);
                                 add_uint16_tile(0, 1);
                             }),
              2U);
}

TEST(SfpuInteger, WorksOnBits) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::UInt32);

    EXPECT_EQ(integer_result(core,
                             [] {
                                 fill_tile_int(0, 0xF0F0);
                                 bitwise_xor_tile(0, 0xFF00);
                                 left_shift_tile(0, 4);
                             }),
              0xFF00U);
    EXPECT_EQ(integer_result(core,
                             [] {
                                 fill_tile_int(0, 0xFFFFFFF0);
                                 bitwise_not_tile(0);
                             }),
              0xFU);
}

TEST(Typecast, ConvertsAndChangesWhatTheTileHolds) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::Int32);
    core.add_buffer(17, DataFormat::Float32);
    constexpr auto kFloat = static_cast<std::uint32_t>(DataFormat::Float32);
    constexpr auto kInt = static_cast<std::uint32_t>(DataFormat::Int32);

    EXPECT_EQ(integer_result(core,
                             [] {
                                 fill_tile(0, -2.75F);
                                 typecast_tile<kFloat, kInt>(0);
                             }),
              0xFFFFFFFEU);
    EXPECT_EQ(core.run_to(17,
                          [] {
                              fill_tile_int(0, 77);
                              typecast_tile<kInt, kFloat>(0);
                          })[0],
              77.0F);
}

TEST(Select, WhereAndMaskFollowTheSelectorTile) {
    ComputeCore core;
    core.supply(0, {make_tile([](auto row, auto) { return row % 2; })});
    core.add_buffer(16, DataFormat::Float32);
    copy_tile_init(0);

    const TileValues chosen = core.run_to(16, [] {
        copy_tile(0, 0, 0);
        fill_tile(1, 5.0F);
        fill_tile(2, -5.0F);
        where_tile(0, 1, 2, 0);
    });
    const TileValues masked = core.run_to(16, [] {
        fill_tile(0, 9.0F);
        copy_tile(0, 0, 1);
        mask_tile(0, 1);
    });

    EXPECT_EQ(at(chosen, 1, 30), 5.0F);
    EXPECT_EQ(at(chosen, 2, 30), -5.0F);
    EXPECT_EQ(at(masked, 1, 30), 9.0F);
    EXPECT_EQ(at(masked, 2, 30), 0.0F);
}

}  // namespace
}  // namespace tessera
