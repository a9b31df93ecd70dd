// SPDX-License-Identifier: Apache-2.0
// Quantisation by every rule and back, against golden files, in memory filled with 0xFF.
#include <gtest/gtest.h>

#include "ops/fp8_dequantise/fp8_dequantise.hpp"
#include "ops/fp8_quantise/fp8_quantise.hpp"
#include "ops/gather_columns/gather_columns.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/golden_compare.hpp"
#include "tests/ops/op_call.hpp"

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

    const auto quantised = call_op(device, fp8_quantise::op(), &spec, {{golden_tensor(file, "x")}});

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
        call_op(device, fp8_quantise::op(), &spec, {{golden_tensor(file, GetParam())}});

    EXPECT_EQ(quantised[0].bytes, golden_tensor(file, GetParam() + ".q").bytes);
    EXPECT_EQ(quantised[1].bytes, golden_tensor(file, GetParam() + ".scale").bytes);
    const DequantiseSpec back{.output = DataFormat::Float16_b, .grid = {}};
    EXPECT_EQ(
        call_op(device, fp8_dequantise::op(), &back, {{quantised[0]}, {quantised[1]}})[0].bytes,
        golden_tensor(file, GetParam() + ".dequant_bf16").bytes);
}

INSTANTIATE_TEST_SUITE_P(Matrices, BlockQuantisation, ::testing::Values("w0", "w1", "w2"),
                         [](const auto& name) { return name.param; });

// 33 rows of 130 columns: one of each beyond what a core takes at a time.
TEST(Fp8Quantise, LeavesWhatLiesBeyondTheMatrixOutOfItsBlocks) {
    OneDevice device(testing::test_arch());
    HostTensor input = make_host_tensor({33, 130}, DataFormat::Float32);
    for (std::size_t i = 0; i < 33 * 130; ++i) {
        input.as<float>()[i] = i % 130 < 128 ? 448.0F : -7.0F;
    }
    const QuantiseSpec spec{.rule = ScaleRule::Trtllm, .block = ScaleBlock::Row128, .grid = {}};

    const auto outputs = call_op(device, fp8_quantise::op(), &spec, {{input}});

    for (std::size_t row = 0; row < 33; ++row) {
        EXPECT_EQ(outputs[1].as<float>()[row * 2], 1.0F) << row;
        EXPECT_EQ(outputs[1].as<float>()[row * 2 + 1], 7.0F / 448.0F) << row;
        EXPECT_EQ(outputs[0].as<std::uint8_t>()[row * 130 + 129], 0xFE) << row;  // −448
    }
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
