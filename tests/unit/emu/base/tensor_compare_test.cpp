// SPDX-License-Identifier: Apache-2.0
#include "tessera/tensor_compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

using Doubles = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr CloseTolerance kTight{0.999, 0.01};

Closeness close(const Doubles& test, const Doubles& reference, CloseTolerance tolerance = kTight) {
    return compare_close(std::span(test), std::span(reference), tolerance);
}

UlpCloseness ulps(const Doubles& test, const Doubles& reference, UlpTolerance tolerance = {}) {
    return compare_ulps(std::span(test), std::span(reference), tolerance);
}

TEST(CompareClose, EqualValuesAgreeFully) {
    const Closeness result = close({1, -2, 3}, {1, -2, 3});

    EXPECT_DOUBLE_EQ(result.pcc, 1);
    EXPECT_EQ(result.max_rel_err, 0);
    EXPECT_EQ(result.num_elements, 3U);
    EXPECT_FALSE(result.worst.has_value());
    EXPECT_TRUE(result.passes(kTight));
}

// Deviations (-1,0,1) and (-1,1,0): covariance 1, squares 2 and 2.
TEST(CompareClose, ReportsPearsonsCorrelation) {
    EXPECT_DOUBLE_EQ(close({1, 2, 3}, {1, 3, 2}).pcc, 0.5);
    EXPECT_DOUBLE_EQ(close({1, 2, 3}, {3, 2, 1}).pcc, -1);
    EXPECT_DOUBLE_EQ(close({10, 20, 30}, {1, 2, 3}).pcc, 1);
}

// The rms of (4, 0, 3, 0) is 2.5, the denominator of the error at zeros.
TEST(CompareClose, DividesErrorsByTheLargerOfReferenceAndRms) {
    const Closeness result = close({4.4, 0.5, 3, 0}, {4, 0, 3, 0});

    EXPECT_DOUBLE_EQ(result.reference_rms, 2.5);
    EXPECT_DOUBLE_EQ(result.max_rel_err, 0.2);
    EXPECT_EQ(result.worst->index, 1U);
    EXPECT_EQ(result.worst->test, 0.5);
    EXPECT_EQ(result.first_beyond->index, 0U);
    EXPECT_FALSE(result.passes({0, 0.19}));
    EXPECT_TRUE(result.passes({0, 0.21}));
    EXPECT_FALSE(result.passes({1, 0.21}));
}

TEST(CompareClose, TakesPartsTogether) {
    const Doubles a{1, 2};
    const Doubles b{3};
    const Doubles reference_a{1, 3};
    const Doubles reference_b{2};
    const std::vector<ComparedPart> parts{{std::span(a), std::span(reference_a)},
                                          {std::span(b), std::span(reference_b)}};

    const Closeness result = compare_close(parts, kTight);

    EXPECT_DOUBLE_EQ(result.pcc, 0.5);
    EXPECT_EQ(result.worst->part, 1U);
    EXPECT_EQ(result.first_beyond->part, 0U);
    EXPECT_EQ(result.first_beyond->index, 1U);
}

TEST(CompareClose, ANanAgainstANumberIsAFault) {
    const Closeness result = close({1, kNan, 3}, {1, 2, 3});

    EXPECT_EQ(result.num_nonfinite_faults, 1U);
    EXPECT_EQ(result.max_rel_err, kInf);
    EXPECT_EQ(result.worst->index, 1U);
    EXPECT_DOUBLE_EQ(result.pcc, 1);
    EXPECT_FALSE(result.passes({0, kInf}));
}

TEST(CompareClose, ANumberAgainstANanOrOtherInfinityIsAFault) {
    EXPECT_EQ(close({1}, {kNan}).num_nonfinite_faults, 1U);
    EXPECT_EQ(close({kInf}, {-kInf}).num_nonfinite_faults, 1U);
    EXPECT_EQ(close({kInf}, {1e300}).num_nonfinite_faults, 1U);
}

TEST(CompareClose, NonfiniteValuesThatAgreeAreNoFault) {
    const Closeness result = close({kNan, kInf, -kInf, 2}, {kNan, kInf, -kInf, 2});

    EXPECT_EQ(result.num_nonfinite_faults, 0U);
    EXPECT_EQ(result.max_rel_err, 0);
    EXPECT_TRUE(result.passes(kTight));
}

TEST(CompareClose, NothingFiniteComparedIsNoPass) {
    const Closeness result = close({kNan, kInf}, {kNan, kInf});

    EXPECT_EQ(result.num_finite, 0U);
    EXPECT_EQ(result.num_nonfinite_faults, 0U);
    EXPECT_EQ(result.pcc, 0);
    EXPECT_FALSE(result.passes({-1, kInf}));
}

TEST(CompareClose, ANanOnEitherSideAloneFailsAnyTolerance) {
    EXPECT_FALSE(close({1, kNan}, {1, 2}).passes({-1, kInf}));
    EXPECT_FALSE(close({1, 2}, {1, kNan}).passes({-1, kInf}));
}

TEST(CompareClose, NothingCorrelatesWithAConstant) {
    EXPECT_EQ(close({5, 5}, {5, 5}).pcc, 1);
    EXPECT_TRUE(std::isnan(close({5, 5}, {4, 4}).pcc));
    EXPECT_TRUE(std::isnan(close({1, 2}, {4, 4}).pcc));
    EXPECT_EQ(close({4, 4}, {1, 2}).pcc, 0);
}

TEST(CompareClose, AConstantReferenceIsJudgedByItsElements) {
    EXPECT_TRUE(close({0.301, 0.301}, {0.3, 0.3}, {0.9999, 0.004}).passes({0.9999, 0.004}));
    EXPECT_FALSE(close({0.302, 0.302}, {0.3, 0.3}, {0.9999, 0.004}).passes({0.9999, 0.004}));
    EXPECT_TRUE(close({0.301}, {0.3}, {0.9999, 0.004}).passes({0.9999, 0.004}));
    EXPECT_FALSE(close({0, 0}, {0.3, 0.3}, {0, 0.5}).passes({0, 0.5}));
}

TEST(CompareClose, InfinitiesThatAgreeArePassed) {
    EXPECT_TRUE(close({kInf, -kInf}, {kInf, -kInf}).passes(kTight));
}

// The largest bfloat16 is 0x1.fep127; rounding to nearest turns larger numbers into infinity.
TEST(CompareClose, AnOverflowOfTheFormatAgreesWithANumberThatItCannotHold) {
    const CloseTolerance bf16{.max_rel_err = 0x1p-8, .format = limits_of(DataFormat::Float16_b)};

    EXPECT_TRUE(close({kInf, 1}, {0x1.ffp127, 1}, bf16).passes(bf16));
    EXPECT_TRUE(close({0x1.fep127, 1}, {kInf, 1}, bf16).passes(bf16));
    EXPECT_FALSE(close({kInf, 1}, {0x1.8p127, 1}, bf16).passes(bf16));
    EXPECT_FALSE(close({-kInf, 1}, {0x1.ffp127, 1}, bf16).passes(bf16));
}

// The distance from a denormal bfloat16 to the next is 2^-133.
TEST(CompareClose, AllowsTheSpacingOfDenormals) {
    const CloseTolerance bf16{.max_rel_err = 0x1p-8, .format = limits_of(DataFormat::Float16_b)};

    EXPECT_TRUE(close({0x1.4p-131, 0}, {0x1.8p-131, 0x1p-134}, bf16).passes(bf16));
    EXPECT_FALSE(close({0, 0}, {0x1p-131, 0}, bf16).passes(bf16));
}

// 16 values of bfp4_b share the exponent of the largest, 8: one step is 2.
TEST(CompareClose, BlockFormatsAreAsCoarseAsTheirBlock) {
    const CloseTolerance bfp4{.max_rel_err = 0x1p-8, .format = limits_of(DataFormat::Bfp4_b)};
    Doubles reference(32, 0.5);
    reference[0] = 8;
    Doubles test = reference;
    test[5] = 2;

    EXPECT_TRUE(close(test, reference, bfp4).passes(bfp4));
    test[5] = 0.5;
    test[20] = 2;  // in the other block, whose largest value is 0.5
    EXPECT_FALSE(close(test, reference, bfp4).passes(bfp4));
}

TEST(CompareClose, WithoutAFloorASmallElementIsJudgedByItself) {
    const CloseTolerance own{.max_rel_err = 0x1p-8, .floor = 0};

    EXPECT_FALSE(close({1, -1e-4}, {1, 1e-4}, own).passes(own));
    EXPECT_TRUE(close({1, -1e-4}, {1, 1e-4}, {0, 0x1p-8}).passes({0, 0x1p-8}));
}

/// Tolerance of an op whose elements may have an error of 5 %.
constexpr CloseTolerance kWide{.pcc_min = 0.9999,
                               .max_rel_err = 0.05,
                               .max_rms_err = 0.0142,
                               .max_scale_err = 0x1p-8,
                               .outliers = 4};

Doubles waves(std::size_t size, double scale = 1, double offset = 0) {
    Doubles values(size);
    for (std::size_t i = 0; i < size; ++i) {
        values[i] = scale * std::sin(0.7 * static_cast<double>(i)) + offset;
    }
    return values;
}

TEST(CompareClose, FindsAScaleThatEveryElementTolerates) {
    const Closeness result = close(waves(1000, 1.01), waves(1000), kWide);

    EXPECT_LT(result.max_rel_err, 0.05);
    EXPECT_DOUBLE_EQ(result.scale, 1.01);
    EXPECT_EQ(result.failure(kWide),
              "all values are 1.01 times the reference, allowed: 0.994544 to 1.00546");
}

TEST(CompareClose, LeavesSumsOutAtTheSpacingOfTheFormat) {
    CloseTolerance tolerance = kWide;
    EXPECT_FALSE(close(waves(1000, 0.97e-39), waves(1000, 1e-39), tolerance).passes(tolerance));

    tolerance.format.spacing = 0x1p-133;

    EXPECT_TRUE(close(waves(1000, 0.97e-39), waves(1000, 1e-39), tolerance).passes(tolerance));
    EXPECT_FALSE(close(waves(1000, 0), waves(1000, 1e-39), tolerance).passes(tolerance));
}

// 2 % of the rms, which the correlation does not detect.
TEST(CompareClose, FindsAnOffsetThatEveryElementTolerates) {
    const Closeness result = close(waves(1000, 1, 0.02), waves(1000), kWide);

    EXPECT_DOUBLE_EQ(std::round(result.pcc * 1e6), 1e6);
    EXPECT_THAT(result.failure(kWide), testing::StartsWith("the rms of all errors is 0.0283"));
}

TEST(CompareClose, AFewElementsAtTheirLimitDoNotDecideTheSums) {
    Doubles reference = waves(16);
    Doubles test = reference;
    test[2] *= 1.045;
    test[9] *= 0.96;

    EXPECT_EQ(close(test, reference, kWide).failure(kWide), "");
}

struct Fault {
    const char* name;
    void (*plant)(Doubles& values);
};

class PlantedFault : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, IsFound) {
    const Doubles reference = waves(4096);
    Doubles test = reference;
    EXPECT_TRUE(close(test, reference, kWide).passes(kWide));

    GetParam().plant(test);

    EXPECT_FALSE(close(test, reference, kWide).passes(kWide));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, PlantedFault,
    testing::Values(
        Fault{"OneElement", [](Doubles& v) { v[4001] += 0.2; }},
        Fault{"TwoRowsSwapped",
              [](Doubles& v) { std::swap_ranges(v.begin() + 64, v.begin() + 128, v.end() - 64); }},
        Fault{"Scale",
              [](Doubles& v) {
                  for (double& x : v)
                      x *= 1.01;
              }},
        Fault{"Zeros", [](Doubles& v) { v.assign(v.size(), 0); }},
        Fault{"OneNan", [](Doubles& v) { v[77] = kNan; }},
        Fault{"ATileLeftOut", [](Doubles& v) { std::fill_n(v.begin() + 1024, 1024, 0.0); }},
        Fault{"AllNan", [](Doubles& v) { v.assign(v.size(), kNan); }}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CompareClose, AnyDifferenceFromZerosIsInfinite) {
    EXPECT_EQ(close({0, 1e-30}, {0, 0}).max_rel_err, kInf);
    EXPECT_EQ(close({0, -0.0}, {0, 0}).max_rel_err, 0);
}

TEST(CompareClose, NothingAgreesWithNothing) {
    EXPECT_TRUE(close({}, {}).passes({1, 0}));
}

TEST(CompareClose, FindsPlacesBeyondTheFirstBlock) {
    Doubles test(5000, 1.0);
    Doubles reference(5000, 1.0);
    test[4321] = 1.5;

    EXPECT_EQ(close(test, reference).first_beyond->index, 4321U);
}

TEST(CompareClose, ReadsBf16AndFloatTensors) {
    HostTensor test = make_host_tensor({2}, DataFormat::Float16_b);
    HostTensor reference = make_host_tensor({2}, DataFormat::Float32);
    test.as<std::uint16_t>()[1] = 0x3F80;
    reference.as<float>()[1] = 1;

    const Closeness result = compare_close(test, reference, kTight);

    EXPECT_EQ(result.max_rel_err, 0);
    EXPECT_DOUBLE_EQ(result.reference_rms, std::sqrt(0.5));
}

TEST(CompareClose, RefusesSidesOfOtherSize) {
    EXPECT_THROW((void)close({1, 2}, {1}), InternalError);
}

TEST(UlpBf16, IsTheDistanceToTheNextNumber) {
    EXPECT_EQ(ulp_bf16(1), std::ldexp(1, -7));
    EXPECT_EQ(ulp_bf16(-1.99), std::ldexp(1, -7));
    EXPECT_EQ(ulp_bf16(2), std::ldexp(1, -6));
    EXPECT_EQ(ulp_bf16(0.75), std::ldexp(1, -8));
    EXPECT_EQ(ulp_bf16(0), std::ldexp(1, -133));
    EXPECT_EQ(ulp_bf16(std::ldexp(1, -130)), std::ldexp(1, -133));
}

TEST(CompareUlps, CountsMismatchesAndUlps) {
    const double ulp = std::ldexp(1, -7);

    const UlpCloseness result = ulps({1, 1 + ulp, 1 - 2 * ulp, 4}, {1, 1, 1, 4}, {1, 0, 0.5});

    EXPECT_EQ(result.num_mismatches, 2U);
    EXPECT_DOUBLE_EQ(result.mismatch_fraction(), 0.5);
    EXPECT_DOUBLE_EQ(result.max_ulp_beyond_atol, 2);
    EXPECT_EQ(result.first_mismatch->index, 1U);
    EXPECT_EQ(result.first_beyond->index, 2U);
    EXPECT_FALSE(result.passes({1, 0, 0.5}));
    EXPECT_TRUE(result.passes({2, 0, 0.5}));
    EXPECT_FALSE(result.passes({2, 0, 0.4}));
}

TEST(CompareUlps, SubtractsTheAbsoluteTolerance) {
    const double ulp = std::ldexp(1, -7);

    EXPECT_DOUBLE_EQ(ulps({1 + 3 * ulp}, {1}, {1, 2 * ulp, 1}).max_ulp_beyond_atol, 1);
    EXPECT_EQ(ulps({1 + ulp}, {1}, {0, 2 * ulp, 1}).max_ulp_beyond_atol, 0);
    EXPECT_EQ(ulps({1 + ulp}, {1}, {0, 2 * ulp, 1}).num_mismatches, 1U);
}

TEST(CompareUlps, ZerosOfEitherSignAreEqual) {
    EXPECT_EQ(ulps({0.0}, {-0.0}).num_mismatches, 0U);
}

TEST(CompareUlps, NonfiniteValuesAgreeOrAreFaults) {
    EXPECT_TRUE(ulps({kNan, kInf, 1}, {kNan, kInf, 1}).passes({}));

    const UlpCloseness result = ulps({1, kNan}, {1, 1}, {kInf, 0, 1});
    EXPECT_EQ(result.num_nonfinite_faults, 1U);
    EXPECT_EQ(result.first_mismatch->index, 1U);
    EXPECT_FALSE(result.passes({kInf, 0, 1}));
}

TEST(CompareUlps, NothingFiniteComparedIsNoPass) {
    const UlpCloseness result = ulps({kNan, kInf}, {kNan, kInf}, {kInf, 0, 1});

    EXPECT_EQ(result.num_finite, 0U);
    EXPECT_EQ(result.num_elements, 2U);
    EXPECT_FALSE(result.passes({kInf, 0, 1}));
    EXPECT_TRUE(ulps({}, {}).passes({}));
}

TEST(PositionIn, CountsLastDimensionFastest) {
    EXPECT_EQ(position_in({3, 4, 5}, 2 * 20 + 0 * 5 + 4), "(2,0,4)");
    EXPECT_EQ(position_in({7}, 6), "(6)");
}

}  // namespace
}  // namespace tessera
