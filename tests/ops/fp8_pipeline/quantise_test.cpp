// SPDX-License-Identifier: Apache-2.0
// Quantisation by every rule, and its inverse, against golden files, in memory filled with 0xFF.
#include "ops/quantise/quantise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/fp8_dequantise/fp8_dequantise.hpp"
#include "ops/gather_columns/gather_columns.hpp"
#include "ops/widen_bytes/widen_bytes.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/golden_compare.hpp"
#include "tests/ops/op_call.hpp"
#include "tests/ops/routing_workload.hpp"

namespace tessera::ops {
namespace {

using golden::GoldenFile;
using testing::call_op;
using testing::golden_tensor;
using testing::OneDevice;

struct Rule {
    std::string name;
    ScaleRule rule;
    ScaleBlock block;
};

class Quantisation : public ::testing::TestWithParam<Rule> {};

TEST_P(Quantisation, HasTheBitsOfTheFile) {
    const GoldenFile file("fp8_quant_activations");
    OneDevice device(testing::test_arch());
    const QuantiseSpec spec{.rule = GetParam().rule, .block = GetParam().block, .grid = {}};

    const auto quantised = call_op(device, quantise::op(), &spec, {{golden_tensor(file, "x")}});

    EXPECT_EQ(quantised[0].bytes, golden_tensor(file, GetParam().name + ".q").bytes);
    EXPECT_EQ(quantised[1].bytes, golden_tensor(file, GetParam().name + ".scale").bytes);
    const DequantiseSpec back{};
    EXPECT_EQ(
        call_op(device, fp8_dequantise::op(), &back, {{quantised[0]}, {quantised[1]}})[0].bytes,
        golden_tensor(file, GetParam().name + ".dequant").bytes);
}

INSTANTIATE_TEST_SUITE_P(Rules, Quantisation,
                         ::testing::Values(Rule{"dsv3", ScaleRule::Dsv3, ScaleBlock::Row128},
                                           Rule{"dsv32", ScaleRule::Dsv32, ScaleBlock::Row128},
                                           Rule{"ue8m0", ScaleRule::Ue8m0, ScaleBlock::Row128},
                                           Rule{"trtllm", ScaleRule::Trtllm, ScaleBlock::Row128},
                                           Rule{"flashinfer_test", ScaleRule::FlashinferTest,
                                                ScaleBlock::Row128},
                                           Rule{"per_token", ScaleRule::PerToken, ScaleBlock::Row}),
                         [](const auto& row) { return row.param.name; });

class BlockQuantisation : public ::testing::TestWithParam<std::string> {};

TEST_P(BlockQuantisation, HasTheBitsOfTheFileAlsoInPartialBlocks) {
    const GoldenFile file("fp8_quant_blocks");
    OneDevice device(testing::test_arch());
    const QuantiseSpec spec{
        .rule = ScaleRule::FlashinferTest, .block = ScaleBlock::Square128, .grid = {}};

    const auto quantised =
        call_op(device, quantise::op(), &spec, {{golden_tensor(file, GetParam())}});

    EXPECT_EQ(quantised[0].bytes, golden_tensor(file, GetParam() + ".q").bytes);
    EXPECT_EQ(quantised[1].bytes, golden_tensor(file, GetParam() + ".scale").bytes);
    const DequantiseSpec back{.output = DataFormat::Float16_b, .grid = {}};
    EXPECT_EQ(
        call_op(device, fp8_dequantise::op(), &back, {{quantised[0]}, {quantised[1]}})[0].bytes,
        golden_tensor(file, GetParam() + ".dequant_bf16").bytes);
}

INSTANTIATE_TEST_SUITE_P(Matrices, BlockQuantisation, ::testing::Values("w0", "w1", "w2"),
                         [](const auto& name) { return name.param; });

// 33 rows of 130 columns: one more row and two more columns than a core processes at a time.
TEST(Quantise, LeavesWhatLiesBeyondTheMatrixOutOfItsBlocks) {
    OneDevice device(testing::test_arch());
    HostTensor input = make_host_tensor({33, 130}, DataFormat::Float32);
    for (std::size_t i = 0; i < 33 * 130; ++i) {
        input.as<float>()[i] = i % 130 < 128 ? 448.0F : -7.0F;
    }
    const QuantiseSpec spec{.rule = ScaleRule::Trtllm, .block = ScaleBlock::Row128, .grid = {}};

    const auto outputs = call_op(device, quantise::op(), &spec, {{input}});

    for (std::size_t row = 0; row < 33; ++row) {
        EXPECT_EQ(outputs[1].as<float>()[row * 2], 1.0F) << row;
        EXPECT_EQ(outputs[1].as<float>()[row * 2 + 1], 7.0F / 448.0F) << row;
        EXPECT_EQ(outputs[0].as<std::uint8_t>()[row * 130 + 129], 0xFE) << row;  // −448
    }
}

float bf16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16U);
}

TEST(Quantise, RoundsRowsToIntegersOfEightBits) {
    OneDevice device(testing::test_arch());
    HostTensor input = make_host_tensor({2, 5}, DataFormat::Float32);
    std::ranges::copy(std::vector<float>{254, -1, 3, 5, 0, -1, 0.5F, 0.25F, 0, 1},
                      input.as<float>().begin());
    const QuantiseSpec spec{.block = ScaleBlock::Row, .codes = Codes::Int8, .grid = {}};

    const auto outputs = call_op(device, quantise::op(), &spec, {{input}});

    // Scales 2 and 1/127; ties to even: -0.5 is 0, 1.5 is 2, 2.5 is 2, 63.5 is 64, 31.75 is 32.
    const std::vector<float> wanted{127, 0, 2, 2, 0, -127, 64, 32, 0, 127};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(bf16(outputs[0].as<std::uint16_t>()[i]), wanted[i]) << i;
    }
    EXPECT_EQ(testing::values_of<float>(outputs[1]), (std::vector<float>{2, 1.0F / 127}));
}

// The same numbers as bytes: 128 more than the code.
TEST(Quantise, SendsIntegersAsBytes) {
    OneDevice device(testing::test_arch());
    HostTensor input = make_host_tensor({2, 5}, DataFormat::Float32);
    std::ranges::copy(std::vector<float>{254, -1, 3, 5, 0, -1, 0.5F, 0.25F, 0, 1},
                      input.as<float>().begin());
    const QuantiseSpec spec{.block = ScaleBlock::Row, .codes = Codes::Int8Bytes, .grid = {}};

    const auto outputs = call_op(device, quantise::op(), &spec, {{input}});

    EXPECT_EQ(testing::values_of<std::uint8_t>(outputs[0]),
              (std::vector<std::uint8_t>{255, 128, 130, 130, 128, 1, 192, 160, 128, 255}));
}

// Rows of one, two and three pieces with a last one of every kind; each byte occurs.
TEST(WidenBytes, SubtractsTheByteOfZero) {
    for (const std::uint32_t columns : {1U, 100U, 1024U, 1025U, 2880U}) {
        OneDevice device(testing::test_arch());
        HostTensor bytes = make_host_tensor({3, columns}, DataFormat::UInt8);
        for (std::size_t i = 0; i < bytes.as<std::uint8_t>().size(); ++i) {
            bytes.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 7);
        }
        const widen_bytes::WidenBytesSpec spec{.grid = {}, .cb_depth = 2};

        const auto outputs = call_op(device, widen_bytes::op(), &spec, {{bytes}});

        for (std::size_t i = 0; i < 3 * columns; ++i) {
            const auto wanted = static_cast<float>(i * 7 % 256) - 128.0F;
            ASSERT_EQ(bf16(outputs[0].as<std::uint16_t>()[i]), wanted) << columns << ", " << i;
        }
    }
}

// 70 rows on three cores. The row with the largest number does not count, nor does a row of NaN.
TEST(Quantise, GivesATensorOneScaleOfTheRowsThatCount) {
    OneDevice device(testing::test_arch());
    HostTensor input = make_host_tensor({70, 130}, DataFormat::Float32);
    std::ranges::fill(input.as<float>(), 1.0F);
    std::ranges::fill(input.as<float>().subspan(40 * 130, 130), 1e30F);
    std::ranges::fill(input.as<float>().subspan(41 * 130, 130), std::nanf(""));
    input.as<float>()[69 * 130 + 129] = -896.0F;
    std::vector<std::int32_t> table(70, 0);
    table[40] = table[41] = -1;
    const HostTensor counts = testing::host_tensor<std::int32_t>({70}, DataFormat::Int32, table);
    const QuantiseSpec spec{
        .block = ScaleBlock::Tensor, .counted_by = CountedBy::Presence, .grid = {}};

    const auto outputs = call_op(device, quantise::op(), &spec, {{input}, {counts}});

    EXPECT_EQ(outputs[1].shape, (Shape{1, 1}));
    EXPECT_EQ(outputs[1].as<float>()[0], 2.0F);
    EXPECT_EQ(fp8::value_of(outputs[0].as<std::uint8_t>()[0]), 0.5F);
    EXPECT_EQ(fp8::value_of(outputs[0].as<std::uint8_t>()[69 * 130 + 129]), -448.0F);
}

// 1.7 MB of one core: more than its L1. The largest number, which comes last, is the largest code.
TEST(Quantise, ReadsATensorAgainThatL1DoesNotHold) {
    OneDevice device(testing::test_arch());
    HostTensor input = make_host_tensor({120, 7168}, DataFormat::Float16_b);
    constexpr std::uint16_t kOne = 0x3F80;
    constexpr std::uint16_t kLargest = 0x43E0;  // 448
    std::ranges::fill(input.as<std::uint16_t>(), kOne);
    input.as<std::uint16_t>().back() = kLargest;
    const QuantiseSpec spec{.block = ScaleBlock::Tensor, .grid = {1, 1}};

    const auto outputs = call_op(device, quantise::op(), &spec, {{input}});

    EXPECT_EQ(outputs[1].as<float>()[0], 1.0F);
    const auto codes = outputs[0].as<std::uint8_t>();
    EXPECT_EQ(std::ranges::count(codes, 0x38), 120 * 7168 - 1);  // 1
    EXPECT_EQ(codes.back(), 0x7E);                               // 448
}

struct TileCase {
    std::string name;
    ScaleBlock block;
    Codes codes;
    Shape scales;
    std::size_t rows, columns;  // per block
};

class TileQuantisation : public ::testing::TestWithParam<TileCase> {};

// Two matrices of 140 by 150: tiles that are partly outside of them, and smaller blocks.
TEST_P(TileQuantisation, TakesTheScaleOfEachBlockAndTheNearestCodes) {
    const TileCase& test = GetParam();
    OneDevice device(testing::test_arch());
    const HostTensor input = testing::random_bf16_tensor({2, 140, 150}, 3);
    const QuantiseSpec spec{.block = test.block, .codes = test.codes, .grid = {}};

    const auto outputs = call_op(device, quantise::op(), &spec, {{input, Layout::TILE}});

    ASSERT_EQ(outputs[1].shape, test.scales);
    const bool is_fp8 = test.codes == Codes::Fp8E4m3;
    const float most = is_fp8 ? 448 : test.codes == Codes::Int8 ? 127 : 7;
    const auto at = [](std::size_t m, std::size_t r, std::size_t c) {
        return (m * 140 + r) * 150 + c;
    };
    std::size_t place = 0;
    for (std::size_t m = 0; m < 2; ++m) {
        for (std::size_t row = 0; row < 140; row += test.rows) {
            for (std::size_t column = 0; column < 150; column += test.columns) {
                float largest = 0;
                const float scale = outputs[1].as<float>()[place++];
                for (std::size_t r = row; r < std::min<std::size_t>(140, row + test.rows); ++r) {
                    for (std::size_t c = column;
                         c < std::min<std::size_t>(150, column + test.columns); ++c) {
                        const float value = bf16(input.as<std::uint16_t>()[at(m, r, c)]);
                        largest = std::max(largest, std::fabs(value));
                        const float code =
                            is_fp8 ? fp8::value_of(outputs[0].as<std::uint8_t>()[at(m, r, c)])
                                   : outputs[0].as<float>()[at(m, r, c)];
                        // Half a step: 1/16 of an e4m3 number, 2^-10 below 2^-6, 1/2 of integers.
                        const float half = is_fp8 ? std::max(std::fabs(code) / 16, 0x1p-10F) : 0.5F;
                        ASSERT_LE(std::fabs(code - value / scale), half * 1.0001F);
                        ASSERT_TRUE(is_fp8 || code == std::trunc(code));
                    }
                }
                ASSERT_EQ(scale, largest / most);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, TileQuantisation,
    ::testing::Values(
        TileCase{"matrix_fp8", ScaleBlock::Matrix, Codes::Fp8E4m3, {2, 1, 1}, 140, 150},
        TileCase{"squares_fp8", ScaleBlock::Square128, Codes::Fp8E4m3, {2, 2, 2}, 128, 128},
        TileCase{"row_int8", ScaleBlock::Row, Codes::Int8, {2, 140, 1}, 1, 150},
        TileCase{"row128_int4", ScaleBlock::Row128, Codes::Int4, {2, 140, 2}, 1, 128}),
    [](const auto& test) { return test.param.name; });

TEST(QuantiseErrors, BlocksThatAnInputCannotHaveAreNamed) {
    const auto refusal = [](const QuantiseSpec& spec, Layout layout) {
        const DeviceTensor input{{{2, 3, 40}, DataFormat::Float16_b, layout}, {}};
        const std::array<const DeviceTensor*, 1> inputs{&input};
        return usage_error_message(
            [&] { check_call(quantise::op(), testing::test_arch(), &spec, inputs, {}); });
    };
    EXPECT_EQ(refusal({.block = ScaleBlock::Matrix, .grid = {}}, Layout::ROW_MAJOR),
              "quantise: block is matrix; allowed for rows of a stack or with counts with codes "
              "fp8_e4m3: 1x128, row, tensor, static");
    EXPECT_EQ(refusal({.block = ScaleBlock::Tensor, .grid = {}}, Layout::TILE),
              "quantise: block is tensor; allowed for tiles with codes fp8_e4m3: 1x128, row, "
              "128x128, matrix");
    EXPECT_EQ(
        refusal({.block = ScaleBlock::Row, .codes = Codes::Int4, .grid = {}}, Layout::ROW_MAJOR),
        "quantise: codes are int4; allowed for rows of a stack or with counts: fp8_e4m3, int8, "
        "int8_bytes, e2m1");
    EXPECT_EQ(
        refusal(
            {.rule = ScaleRule::Dsv3, .block = ScaleBlock::Row, .codes = Codes::Int8, .grid = {}},
            Layout::ROW_MAJOR),
        "quantise: rule is dsv3; allowed for codes of integers: trtllm");
}

TEST(GatherColumns, TransposesWithoutIndices) {
    OneDevice device(testing::test_arch());
    const HostTensor input =
        testing::host_tensor<float>({2, 3}, DataFormat::Float32, {1, 2, 3, 4, 5, 6});
    const gather_columns::GatherSpec spec{.grid = {}};

    const auto outputs = call_op(device, gather_columns::op(), &spec, {{input}});

    EXPECT_EQ(outputs[0].shape, (Shape{3, 2}));
    EXPECT_EQ(testing::values_of<float>(outputs[0]), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(GatherColumns, GivesColumnsAsRowsAndZerosForNone) {
    OneDevice device(testing::test_arch());
    const HostTensor input =
        testing::host_tensor<float>({2, 3}, DataFormat::Float32, {1, 2, 3, 4, 5, 6});
    const HostTensor indices =
        testing::host_tensor<std::int32_t>({4}, DataFormat::Int32, {2, -1, 0, 2});
    const gather_columns::GatherSpec spec{.grid = {}};

    const auto outputs = call_op(device, gather_columns::op(), &spec, {{input}, {indices}});

    EXPECT_EQ(testing::values_of<float>(outputs[0]), (std::vector<float>{3, 6, 0, 0, 1, 4, 3, 6}));
}

}  // namespace
}  // namespace tessera::ops
