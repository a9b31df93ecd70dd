// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/alternatives.hpp"

#include <gtest/gtest.h>

namespace tessera::score {
namespace {

struct Rows {
    std::vector<Row> rows;
    std::vector<RowScore> scores;

    void add(const std::string& workload, const std::string& parameters, double measured,
             std::vector<double> samples) {
        rows.push_back({.arch = "wormhole",
                        .workload = workload,
                        .parameters = parameters,
                        .metric = "time",
                        .value = measured,
                        .unit = "us",
                        .group = "noc_table"});
        scores.emplace_back();
        const double expected = samples.at(0);
        scores.back().prediction =
            Prediction{.expected = expected, .samples = {.a = samples, .b = samples}};
    }
    [[nodiscard]] std::vector<AlternativeKind> kinds() const {
        return alternatives_of(rows, scores);
    }
};

TEST(Alternatives, AreRowsThatDifferInOneParameter) {
    Rows given;
    given.add("NoC one to one", "bytes=64;count=1", 10, {10});
    given.add("NoC one to one", "bytes=128;count=1", 20, {30});
    given.add("NoC one to one", "bytes=256;count=2", 40, {30});
    given.add("NoC one to one", "bytes=64", 80, {80});

    const auto kinds = given.kinds();

    ASSERT_EQ(kinds.size(), 1U);
    EXPECT_EQ(kinds[0].name, "bytes");
    EXPECT_EQ(kinds[0].num_pairs, 1U);
    EXPECT_EQ(kinds[0].num_right, 1U);
}

TEST(Alternatives, AreNamedByTheWordsThatDiffer) {
    Rows given;
    given.add("NoC all from all unicast", "bytes=64", 20, {10});
    given.add("NoC all to all unicast", "bytes=64", 10, {20});
    given.add("NoC all to all multicast", "bytes=64", 30, {40});

    const auto kinds = given.kinds();

    ASSERT_EQ(kinds.size(), 2U);
    EXPECT_EQ(kinds[0].name, "reads or writes");
    EXPECT_EQ(kinds[0].num_right, 0U) << "predicted the other way";
    EXPECT_EQ(kinds[1].name, "unicast or multicast");
    EXPECT_EQ(kinds[1].num_right, 1U);
}

TEST(Alternatives, LeaveOutWhatWasMeasuredAlike) {
    Rows given;
    given.add("NoC one to one", "bytes=64", 100, {10});
    given.add("NoC one to one", "bytes=128", 105, {30});

    EXPECT_TRUE(given.kinds().empty());
}

// 19 of 20 samples agree in the first pair, 18 in the second.
TEST(Alternatives, AreRobustIf95OfAHundredSamplesAgree) {
    std::vector<double> sure(20, 2);
    sure[19] = 0;
    std::vector<double> unsure = sure;
    unsure[18] = 0;
    Rows given;
    given.add("NoC one to one", "bytes=64", 10, std::vector<double>(20, 1));
    given.add("NoC one to one", "bytes=128", 20, sure);
    EXPECT_EQ(given.kinds()[0].num_robust, 1U);
    EXPECT_EQ(given.kinds()[0].num_robust_right, 1U);

    Rows other;
    other.add("NoC one to one", "bytes=64", 10, std::vector<double>(20, 1));
    other.add("NoC one to one", "bytes=128", 20, unsure);
    EXPECT_EQ(other.kinds()[0].num_robust, 0U);
}

}  // namespace
}  // namespace tessera::score
