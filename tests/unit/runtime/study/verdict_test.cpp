// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/case_name.hpp"

namespace tessera::compare {
namespace {

/// Returns the verdict on an expected difference of +1. `num` of its 100 pairs have the same sign.
Verdict with_agreeing(std::size_t num) {
    std::vector<double> differences(100, -1);
    std::fill_n(differences.begin(), num, 1);
    return verdict_of(1, differences);
}

struct GradeCase {
    std::size_t num_agreeing;
    Grade grade;
    const char* text;
};

class VerdictGrades : public testing::TestWithParam<GradeCase> {};

TEST_P(VerdictGrades, AreByTheShareOfPairsThatAgree) {
    const Verdict verdict = with_agreeing(GetParam().num_agreeing);

    EXPECT_EQ(verdict.grade, GetParam().grade);
    EXPECT_EQ(text_of(verdict), GetParam().text);
}

// The smallest share of each grade, and one pair less.
INSTANTIATE_TEST_SUITE_P(
    Shares, VerdictGrades,
    testing::Values(GradeCase{100, Grade::Robust, "robust: 100 % of 100 pairs"},
                    GradeCase{95, Grade::Robust, "robust: 95 % of 100 pairs"},
                    GradeCase{94, Grade::Likely, "likely: 94 % of 100 pairs"},
                    GradeCase{80, Grade::Likely, "likely: 80 % of 100 pairs"},
                    GradeCase{79, Grade::Leaning, "leaning: 79 % of 100 pairs"},
                    GradeCase{60, Grade::Leaning, "leaning: 60 % of 100 pairs"},
                    GradeCase{59, Grade::EvenOdds, "even odds: 59 % of 100 pairs"},
                    GradeCase{40, Grade::EvenOdds, "even odds: 40 % of 100 pairs"},
                    GradeCase{39, Grade::Unlikely, "unlikely: 39 % of 100 pairs"},
                    GradeCase{0, Grade::Unlikely, "unlikely: 0 % of 100 pairs"}),
    [](const auto& grade) { return testing_support::case_name(grade.param.text); });

TEST(VerdictOf, CountsFasterPairsWhereAFasterRunIsExpected) {
    EXPECT_EQ(verdict_of(-1, std::vector<double>{-1, -2, -3}).grade, Grade::Robust);
}

// 243 of 256 are 94.9 %: displayed as 95 % they would contradict their grade.
TEST(VerdictText, RoundsSharesDown) {
    std::vector<double> differences(256, -1);
    std::fill_n(differences.begin(), 243, 1);

    EXPECT_EQ(text_of(verdict_of(1, differences)), "likely: 94 % of 256 pairs");
}

TEST(VerdictOf, IsEqualOnlyWhereAllPairsAre) {
    EXPECT_EQ(text_of(verdict_of(0, std::vector<double>{0, 0})), "equal");
    EXPECT_EQ(text_of(verdict_of(0, std::vector<double>{0, 1})), "even odds");
}

TEST(VerdictOf, IsUngradedWithoutPairs) {
    EXPECT_EQ(text_of(verdict_of(1, {})), "ungraded: constants were not drawn");
}

}  // namespace
}  // namespace tessera::compare
