// SPDX-License-Identifier: Apache-2.0
#include "tessera/core_coord.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(CoreRange, IsInclusiveAtBothEnds) {
    const CoreRange range({1, 2}, {3, 2});

    EXPECT_EQ(range.size(), 3U);
    EXPECT_TRUE(range.contains({1, 2}));
    EXPECT_TRUE(range.contains({3, 2}));
    EXPECT_FALSE(range.contains({4, 2}));
    EXPECT_FALSE(range.contains({2, 1}));
    EXPECT_FALSE(range.contains({2, 3}));
    EXPECT_FALSE(range.contains({0, 2}));
}

TEST(CoreRange, OfOneCoreHasSizeOne) {
    EXPECT_EQ(CoreRange(CoreCoord{7, 7}).size(), 1U);
}

TEST(CoreRangeSet, ListsCoresRangeByRangeAndRowByRow) {
    const CoreRangeSet set({CoreRange({4, 4}, {4, 4}), CoreRange({0, 0}, {1, 1})});

    EXPECT_EQ(set.cores(), (std::vector<CoreCoord>{{4, 4}, {0, 0}, {1, 0}, {0, 1}, {1, 1}}));
    EXPECT_EQ(set.num_cores(), 5U);
}

TEST(CoreRangeSet, KeepsTheOrderOfItsRanges) {
    const CoreRange late({5, 0}, {5, 0});
    const CoreRange early({0, 0}, {0, 0});

    EXPECT_EQ(CoreRangeSet({late, early}).ranges(), (std::vector<CoreRange>{late, early}));
}

TEST(CoreRangeSet, ContainsACoreOfAnyRange) {
    const CoreRangeSet set({CoreRange({0, 0}, {1, 0}), CoreRange({3, 3}, {3, 4})});

    EXPECT_TRUE(set.contains({3, 4}));
    EXPECT_FALSE(set.contains({2, 0}));
    EXPECT_FALSE(CoreRangeSet().contains({0, 0}));
    EXPECT_TRUE(CoreRangeSet().empty());
}

TEST(CoreRangeSet, IntersectsASetThatHasOneOfItsCores) {
    const CoreRangeSet set({CoreRange({0, 0}, {1, 0}), CoreRange({3, 3}, {3, 4})});

    EXPECT_TRUE(set.intersects(CoreRange({2, 4}, {5, 6})));
    EXPECT_TRUE(CoreRangeSet(CoreCoord{1, 0}).intersects(set));
    EXPECT_FALSE(set.intersects(CoreRange({0, 1}, {2, 4}))) << "touches both ranges";
    EXPECT_FALSE(set.intersects(CoreRangeSet()));
}

TEST(CoreRangeSet, TakesRangesThatTouch) {
    EXPECT_EQ(CoreRangeSet({CoreRange({0, 0}, {0, 3}), CoreRange({1, 0}, {1, 3})}).num_cores(), 8U);
}

TEST(CoreNames, ArePrintedAsColumnCommaRow) {
    EXPECT_EQ(to_string(CoreCoord{3, 5}), "(3,5)");
    EXPECT_EQ(to_string(CoreRange({0, 1}, {2, 3})), "(0,1)-(2,3)");
}

}  // namespace
}  // namespace tessera
