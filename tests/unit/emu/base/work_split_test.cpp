// SPDX-License-Identifier: Apache-2.0
#include "tessera/work_split.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tessera {
namespace {

using Ranges = std::vector<CoreRange>;

struct GridCase {
    std::string name;
    CoreCoord grid;
    std::uint32_t units;
    RowWise row_wise;
    std::uint32_t num_cores;
    Ranges all;
    Ranges group_1;
    Ranges group_2;
    std::uint32_t units_1;
    std::uint32_t units_2;
};

class SplitOverGrid : public testing::TestWithParam<GridCase> {};

TEST_P(SplitOverGrid, ReturnsTtMetaliumsValues) {
    const GridCase& c = GetParam();

    const auto [num_cores, all, group_1, group_2, units_1, units_2] =
        split_work_to_cores(c.grid, c.units, c.row_wise);

    EXPECT_EQ(num_cores, c.num_cores);
    EXPECT_EQ(all.ranges(), c.all);
    EXPECT_EQ(group_1.ranges(), c.group_1);
    EXPECT_EQ(group_2.ranges(), c.group_2);
    EXPECT_EQ(units_1, c.units_1);
    EXPECT_EQ(units_2, c.units_2);
}

const CoreRange kWhole{{0, 0}, {7, 7}};

// Computed by hand from the rules of tt_metal/common/work_split.cpp.
INSTANTIATE_TEST_SUITE_P(
    Table, SplitOverGrid,
    testing::Values(
        GridCase{"NoUnits", {8, 8}, 0, RowWise::No, 0, {}, {}, {}, 0, 0},
        GridCase{
            "OneUnit", {8, 8}, 1, RowWise::No, 1, {{{0, 0}, {0, 0}}}, {{{0, 0}, {0, 0}}}, {}, 1, 0},
        GridCase{"OneColumn",
                 {8, 8},
                 8,
                 RowWise::No,
                 8,
                 {{{0, 0}, {0, 7}}},
                 {{{0, 0}, {0, 7}}},
                 {},
                 1,
                 0},
        GridCase{"OneColumnAndACore",
                 {8, 8},
                 9,
                 RowWise::No,
                 9,
                 {{{0, 0}, {0, 7}}, {{1, 0}, {1, 0}}},
                 {{{0, 0}, {0, 7}}, {{1, 0}, {1, 0}}},
                 {},
                 1,
                 0},
        GridCase{"OneRowAndACore",
                 {8, 8},
                 9,
                 RowWise::Yes,
                 9,
                 {{{0, 0}, {7, 0}}, {{0, 1}, {0, 1}}},
                 {{{0, 0}, {7, 0}}, {{0, 1}, {0, 1}}},
                 {},
                 1,
                 0},
        GridCase{"OneLessThanTheGrid",
                 {8, 8},
                 63,
                 RowWise::No,
                 63,
                 {{{0, 0}, {6, 7}}, {{7, 0}, {7, 6}}},
                 {{{0, 0}, {6, 7}}, {{7, 0}, {7, 6}}},
                 {},
                 1,
                 0},
        GridCase{"TheGrid", {8, 8}, 64, RowWise::No, 64, {kWhole}, {kWhole}, {}, 1, 0},
        GridCase{"OneMoreThanTheGrid",
                 {8, 8},
                 65,
                 RowWise::No,
                 64,
                 {kWhole},
                 {{{0, 0}, {0, 0}}},
                 {{{0, 1}, {0, 7}}, {{1, 0}, {7, 7}}},
                 2,
                 1},
        GridCase{"OneMoreThanTheGridByRows",
                 {8, 8},
                 65,
                 RowWise::Yes,
                 64,
                 {kWhole},
                 {{{0, 0}, {0, 0}}},
                 {{{1, 0}, {7, 0}}, {{0, 1}, {7, 7}}},
                 2,
                 1},
        GridCase{"Hundred",
                 {8, 8},
                 100,
                 RowWise::No,
                 64,
                 {kWhole},
                 {{{0, 0}, {3, 7}}, {{4, 0}, {4, 3}}},
                 {{{4, 4}, {4, 7}}, {{5, 0}, {7, 7}}},
                 2,
                 1},
        GridCase{"HundredByRows",
                 {8, 8},
                 100,
                 RowWise::Yes,
                 64,
                 {kWhole},
                 {{{0, 0}, {7, 3}}, {{0, 4}, {3, 4}}},
                 {{{4, 4}, {7, 4}}, {{0, 5}, {7, 7}}},
                 2,
                 1},
        GridCase{"RestFillsColumns",
                 {8, 8},
                 80,
                 RowWise::No,
                 64,
                 {kWhole},
                 {{{0, 0}, {1, 7}}},
                 {{{2, 0}, {7, 7}}},
                 2,
                 1},
        GridCase{"TwiceTheGrid", {8, 8}, 128, RowWise::No, 64, {kWhole}, {kWhole}, {}, 2, 0},
        GridCase{"OneLessThanTwice",
                 {8, 8},
                 127,
                 RowWise::No,
                 64,
                 {kWhole},
                 {{{0, 0}, {6, 7}}, {{7, 0}, {7, 6}}},
                 {{{7, 7}, {7, 7}}},
                 2,
                 1},
        GridCase{"WideGrid",
                 {13, 10},
                 131,
                 RowWise::No,
                 130,
                 {{{0, 0}, {12, 9}}},
                 {{{0, 0}, {0, 0}}},
                 {{{0, 1}, {0, 9}}, {{1, 0}, {12, 9}}},
                 2,
                 1},
        GridCase{"SingleCoreGrid",
                 {1, 1},
                 7,
                 RowWise::No,
                 1,
                 {{{0, 0}, {0, 0}}},
                 {{{0, 0}, {0, 0}}},
                 {},
                 7,
                 0}),
    [](const auto& test) { return test.param.name; });

struct SetCase {
    std::string name;
    Ranges grid;
    std::uint32_t units;
    RowWise row_wise;
    Ranges all;
    Ranges group_1;
    Ranges group_2;
};

class SplitOverSet : public testing::TestWithParam<SetCase> {};

TEST_P(SplitOverSet, WalksTheRangesInOrder) {
    const SetCase& c = GetParam();

    const auto [num_cores, all, group_1, group_2, units_1, units_2] =
        split_work_to_cores(CoreRangeSet(c.grid), c.units, c.row_wise);

    EXPECT_EQ(all.ranges(), c.all);
    EXPECT_EQ(group_1.ranges(), c.group_1);
    EXPECT_EQ(group_2.ranges(), c.group_2);
    EXPECT_EQ(num_cores, all.num_cores());
    EXPECT_EQ(group_1.num_cores() * units_1 + group_2.num_cores() * units_2, c.units);
}

const Ranges kTwo{{{4, 4}, {5, 6}}, {{0, 0}, {1, 1}}};  // 6 cores, then 4

INSTANTIATE_TEST_SUITE_P(
    Table, SplitOverSet,
    testing::Values(SetCase{"Whole", kTwo, 10, RowWise::No, kTwo, kTwo, {}},
                    SetCase{"PartOfTheFirst",
                            kTwo,
                            4,
                            RowWise::No,
                            {{{4, 4}, {4, 6}}, {{5, 4}, {5, 4}}},
                            {{{4, 4}, {4, 6}}, {{5, 4}, {5, 4}}},
                            {}},
                    SetCase{"PartOfTheSecond",
                            kTwo,
                            7,
                            RowWise::No,
                            {{{4, 4}, {5, 6}}, {{0, 0}, {0, 0}}},
                            {{{4, 4}, {5, 6}}, {{0, 0}, {0, 0}}},
                            {}},
                    SetCase{"SplitInsideTheFirst",
                            kTwo,
                            11,
                            RowWise::No,
                            kTwo,
                            {{{4, 4}, {4, 4}}},
                            {{{4, 5}, {4, 6}}, {{5, 4}, {5, 6}}, {{0, 0}, {1, 1}}}},
                    // tt-metal starts group 2 at (5,6) here and then fails because no core is left.
                    SetCase{"SplitAtTheFootOfAColumn",
                            kTwo,
                            13,
                            RowWise::No,
                            kTwo,
                            {{{4, 4}, {4, 6}}},
                            {{{5, 4}, {5, 6}}, {{0, 0}, {1, 1}}}},
                    SetCase{"SplitBetweenTheRanges",
                            kTwo,
                            16,
                            RowWise::No,
                            kTwo,
                            {{{4, 4}, {5, 6}}},
                            {{{0, 0}, {1, 1}}}},
                    SetCase{"ByRows",
                            kTwo,
                            13,
                            RowWise::Yes,
                            kTwo,
                            {{{4, 4}, {5, 4}}, {{4, 5}, {4, 5}}},
                            {{{5, 5}, {5, 5}}, {{4, 6}, {5, 6}}, {{0, 0}, {1, 1}}}},
                    SetCase{"SingleCores",
                            {{{3, 3}, {3, 3}}, {{1, 1}, {1, 1}}, {{2, 2}, {2, 2}}},
                            2,
                            RowWise::No,
                            {{{3, 3}, {3, 3}}, {{1, 1}, {1, 1}}},
                            {{{3, 3}, {3, 3}}, {{1, 1}, {1, 1}}},
                            {}}),
    [](const auto& test) { return test.param.name; });

TEST(WorkSplit, GivesEveryUnitOnceForAllUnitCounts) {
    for (std::uint32_t units = 1; units <= 200; ++units) {
        const auto [num_cores, all, group_1, group_2, units_1, units_2] =
            split_work_to_cores({8, 8}, units);

        EXPECT_EQ(group_1.num_cores() * units_1 + group_2.num_cores() * units_2, units) << units;
        EXPECT_EQ(group_1.num_cores() + group_2.num_cores(), num_cores) << units;
        const auto first = group_1.cores();
        const auto second = group_2.cores();
        std::set<CoreCoord> distinct(first.begin(), first.end());
        distinct.insert(second.begin(), second.end());
        EXPECT_EQ(distinct.size(), num_cores) << units;
    }
}

TEST(NumCoresToCoreRangeSet, IsEmptyForNoCores) {
    EXPECT_TRUE(num_cores_to_corerangeset(0, {8, 8}).empty());
}

TEST(GridToCores, GoesDownTheColumns) {
    EXPECT_EQ(grid_to_cores(4, 8, 3), (std::vector<CoreCoord>{{0, 0}, {0, 1}, {0, 2}, {1, 0}}));
}

TEST(GridToCores, GoesAlongTheRowsIfRowWise) {
    EXPECT_EQ(grid_to_cores(4, 3, 8, RowWise::Yes),
              (std::vector<CoreCoord>{{0, 0}, {1, 0}, {2, 0}, {0, 1}}));
}

TEST(CoreRangeToCores, ListsRangeByRangeDownTheColumns) {
    const CoreRangeSet set({CoreRange({4, 4}, {5, 5}), CoreRange({0, 0}, {0, 0})});

    EXPECT_EQ(corerange_to_cores(set, 100),
              (std::vector<CoreCoord>{{4, 4}, {4, 5}, {5, 4}, {5, 5}, {0, 0}}));
    EXPECT_EQ(corerange_to_cores(set, 3, RowWise::Yes),
              (std::vector<CoreCoord>{{4, 4}, {5, 4}, {4, 5}}));
    EXPECT_TRUE(corerange_to_cores(set, 0).empty());
}

}  // namespace
}  // namespace tessera
