// SPDX-License-Identifier: Apache-2.0
// Norms, softmax and Hadamard over rows around the edges of tiles and strips.
#include <gmock/gmock.h>

#include <cmath>

#include "ops/hadamard/hadamard.hpp"
#include "ops/layer_norm/layer_norm.hpp"
#include "ops/residual_add/residual_add.hpp"
#include "ops/rms_norm/rms_norm.hpp"
#include "ops/softmax/softmax.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops {
namespace {

using testing::all_sessions;
using ::testing::Each;
using ::testing::FloatEq;
using ::testing::FloatNear;
using testing::floats_of;
using testing::host_tensor;
using testing::keeps_its_tolerance;
using testing::OpInput;
using testing::random_rows;
using testing::run_op;
using testing::test_arch;

/// Rows and columns: one token, tile − 1 to tile + 1, strip − 1 to strip + 1, more than a strip.
class RowShapes : public ::testing::TestWithParam<Shape> {
protected:
    [[nodiscard]] Shape columns() const { return {GetParam().back()}; }
};

INSTANTIATE_TEST_SUITE_P(Edges, RowShapes,
                         ::testing::Values(Shape{1, 2}, Shape{1, 8}, Shape{31, 31}, Shape{32, 32},
                                           Shape{33, 33}, Shape{2, 5, 127}, Shape{64, 128},
                                           Shape{3, 129}, Shape{65, 576}),
                         [](const auto& shape) {
                             std::string name = "of";
                             for (const auto extent : shape.param) {
                                 name += "_" + std::to_string(extent);
                             }
                             return name;
                         });

TEST_P(RowShapes, RmsNormIsThatOfItsReference) {
    const NormSpec spec{.epsilon = 1e-6, .grid = {}};

    const auto run = run_op(rms_norm::op(), spec,
                            {{random_rows(GetParam())}, {random_rows(columns(), 2)}}, test_arch());

    EXPECT_TRUE(keeps_its_tolerance(rms_norm::op(), run));
}

TEST_P(RowShapes, LayerNormIsThatOfItsReference) {
    const NormSpec spec{.epsilon = 1e-6, .grid = {}};

    const auto run = run_op(
        layer_norm::op(), spec,
        {{random_rows(GetParam())}, {random_rows(columns(), 2)}, {random_rows(columns(), 3)}},
        test_arch());

    EXPECT_TRUE(keeps_its_tolerance(layer_norm::op(), run));
}

/// Rows, columns, and cores that share the columns of 32 rows.
struct SplitCase {
    Shape shape;
    std::uint32_t split = 0;
};

class ColumnSplits : public ::testing::TestWithParam<SplitCase> {
protected:
    [[nodiscard]] NormSpec spec() const {
        return {.epsilon = 1e-6, .grid = {}, .split = GetParam().split};
    }
    [[nodiscard]] HostTensor rows() const { return random_rows(GetParam().shape); }
    [[nodiscard]] HostTensor vector(std::uint64_t seed) const {
        return random_rows({GetParam().shape.back()}, seed);
    }
};

// Columns that do not divide by strips, more than 32 members, several units for a rectangle, and
// rows of 7168 elements, which do not fit in the L1 of one core with two vectors.
INSTANTIATE_TEST_SUITE_P(Edges, ColumnSplits,
                         ::testing::Values(SplitCase{{5, 300}, 2}, SplitCase{{33, 1000}, 6},
                                           SplitCase{{1, 520}, 4}, SplitCase{{100, 384}, 3},
                                           SplitCase{{8, 4500}, 35}, SplitCase{{8, 7168}, 0}));

TEST_P(ColumnSplits, GiveTheNormsOfTheirReferences) {
    const std::vector<OpInput> two{{rows()}, {vector(2)}};
    const std::vector<OpInput> three{{rows()}, {vector(2)}, {vector(3)}};

    for (const SessionOptions& options : all_sessions()) {
        const auto rms = run_op(rms_norm::op(), spec(), two, test_arch(), options);
        const auto layer = run_op(layer_norm::op(), spec(), three, test_arch(), options);

        EXPECT_TRUE(keeps_its_tolerance(rms_norm::op(), rms));
        EXPECT_TRUE(keeps_its_tolerance(layer_norm::op(), layer));
    }
}

TEST_P(RowShapes, SoftmaxIsThatOfItsReference) {
    const softmax::SoftmaxSpec spec{.scale = 2};

    const auto run = run_op(softmax::op(), spec, {{random_rows(GetParam())}}, test_arch());

    EXPECT_TRUE(keeps_its_tolerance(softmax::op(), run));
}

TEST_P(RowShapes, CausalSoftmaxSeesNothingBehindItsPosition) {
    const softmax::SoftmaxSpec spec{
        .scale = 0.5, .causal_rows = 2, .causal_period = 7, .causal_first = 3};

    const auto run = run_op(softmax::op(), spec, {{random_rows(GetParam())}}, test_arch());

    EXPECT_TRUE(keeps_its_tolerance(softmax::op(), run));
}

TEST_P(RowShapes, ResidualAddIsThatOfItsReference) {
    const CopySpec spec{.grid = {}, .cb_depth = 2};

    const auto run = run_op(residual_add::op(), spec,
                            {{random_rows(GetParam())}, {random_rows(GetParam(), 2)}}, test_arch());

    EXPECT_TRUE(keeps_its_tolerance(residual_add::op(), run));
}

TEST(ResidualAdd, AddsRowsLongerThanATile) {
    const CopySpec spec{.grid = {}, .cb_depth = 2};

    const auto run = run_op(residual_add::op(), spec,
                            {{random_rows({3, 2100})}, {random_rows({3, 2100}, 2)}}, test_arch());

    EXPECT_TRUE(keeps_its_tolerance(residual_add::op(), run));
}

// 3 and 4 have a mean square of 12.5: 3/√12.5 and 4/√12.5.
TEST(RmsNorm, DividesByTheRootOfTheMeanSquare) {
    const NormSpec spec{.epsilon = 0, .grid = {}};
    const HostTensor input =
        host_tensor<std::uint16_t>({1, 2}, DataFormat::Float16_b, {0x4040, 0x4080});
    const HostTensor weight =
        host_tensor<std::uint16_t>({2}, DataFormat::Float16_b, {0x3F80, 0x4000});

    const auto values =
        floats_of(run_op(rms_norm::op(), spec, {{input}, {weight}}, test_arch()).outputs[0]);

    EXPECT_NEAR(values[0], 3 / std::sqrt(12.5), 0.004);
    EXPECT_NEAR(values[1], 2 * 4 / std::sqrt(12.5), 0.008);
}

// A large mean must not hide the deviation: 1000 ± 1 becomes ±1.
TEST(LayerNorm, KeepsADeviationBesideALargeMean) {
    const NormSpec spec{.epsilon = 0, .grid = {}};
    std::vector<std::uint16_t> rows;
    for (int i = 0; i < 200; ++i) {
        rows.push_back(i % 2 == 0 ? 0x4378 : 0x437A);  // 248 and 250
    }
    const HostTensor ones = host_tensor<std::uint16_t>({200}, DataFormat::Float16_b,
                                                       std::vector<std::uint16_t>(200, 0x3F80));
    const HostTensor zeros = make_host_tensor({200}, DataFormat::Float16_b);

    const auto values = floats_of(
        run_op(layer_norm::op(), spec,
               {{host_tensor({1, 200}, DataFormat::Float16_b, rows)}, {ones}, {zeros}}, test_arch())
            .outputs[0]);

    for (int i = 0; i < 200; ++i) {
        EXPECT_NEAR(values[static_cast<std::size_t>(i)], i % 2 == 0 ? -1 : 1, 0.004) << i;
    }
}

// A mean of 3 has steps of 2.4e-7 in fp32. The element beside it is 2.2e-6 away.
TEST(LayerNorm, KeepsADistanceFromTheMeanThatFp32CannotHold) {
    constexpr std::uint32_t kColumns = 7168;
    const NormSpec spec{.epsilon = 0, .grid = {}};
    std::vector<std::uint16_t> row(kColumns);
    for (std::uint32_t i = 0; i < kColumns; ++i) {
        row[i] = i % 2 == 0 ? 0x4020 : 0x4060;  // 2.5 and 3.5
    }
    row[0] = 0x4040;  // 3
    row[1] = 0x4041;  // 3.015625
    const HostTensor ones = host_tensor<std::uint16_t>(
        {kColumns}, DataFormat::Float16_b, std::vector<std::uint16_t>(kColumns, 0x3F80));
    const HostTensor zeros = make_host_tensor({kColumns}, DataFormat::Float16_b);

    const auto values = floats_of(
        run_op(layer_norm::op(), spec,
               {{host_tensor({1, kColumns}, DataFormat::Float16_b, row)}, {ones}, {zeros}},
               test_arch())
            .outputs[0]);

    const double above_3 = 0.015625 / kColumns;  // the mean
    const double variance =
        (0.25 * (kColumns - 2) + 0.015625 * 0.015625) / kColumns - above_3 * above_3;
    const double expected = -above_3 / std::sqrt(variance);
    EXPECT_NEAR(values[0], expected, -expected / 128);  // two units in the last place of bfloat16
}

TEST(Softmax, OfEqualElementsIsOneOverTheirNumber) {
    const softmax::SoftmaxSpec spec{};
    const HostTensor zeros = make_host_tensor({33, 64}, DataFormat::Float16_b);

    const auto run = run_op(softmax::op(), spec, {{zeros}}, test_arch());

    EXPECT_THAT(floats_of(run.outputs[0]), Each(FloatEq(1.0F / 64)));
}

// The first column of the matrix is all ones, and its rows have length 1.
TEST(Hadamard, SpreadsOneElementOverARow) {
    HostTensor input = make_host_tensor({2, 64}, DataFormat::Float16_b);
    input.as<std::uint16_t>()[0] = 0x3F80;

    const auto run = run_op(hadamard::op(), RowsSpec{}, {{input}}, test_arch());

    const auto values = floats_of(run.outputs[0]);
    EXPECT_THAT(std::vector(values.begin(), values.begin() + 64), Each(FloatNear(0.125F, 0)));
    EXPECT_THAT(std::vector(values.begin() + 64, values.end()), Each(FloatNear(0, 0)));
}

class HadamardSizes : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(HadamardSizes, IsThatOfItsReference) {
    const auto run =
        run_op(hadamard::op(), RowsSpec{}, {{random_rows({33, GetParam()})}}, test_arch());

    EXPECT_TRUE(keeps_its_tolerance(hadamard::op(), run));
}

INSTANTIATE_TEST_SUITE_P(PowersOfTwo, HadamardSizes, ::testing::Values(1, 2, 16, 32, 64, 128));

TEST(RmsNorm, RefusesASplitThatIsNoRectangle) {
    const DeviceTensor rows{{{8, 4096}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor weight{{{4096}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&rows, &weight};
    const DeviceTensor* const out[]{&rows};
    const NormSpec spec{.epsilon = 1e-6, .grid = {}, .split = 11};

    EXPECT_EQ(usage_error_message([&] { check_call(rms_norm::op(), test_arch(), &spec, in, out); }),
              "rms_norm: split is 11; allowed: 0, or the cores of a rectangle of the 8×8 grid, at "
              "most 32, whose parts of 4096 columns fit in L1");
}

TEST(Hadamard, RefusesASizeThatIsNoPowerOfTwo) {
    const DeviceTensor input{{{3, 48}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&input};
    const RowsSpec spec;

    EXPECT_EQ(usage_error_message([&] { check_call(hadamard::op(), test_arch(), &spec, in, in); }),
              "hadamard: input has rows of 48 elements; allowed: a power of two up to 128");
}

}  // namespace
}  // namespace tessera::ops
