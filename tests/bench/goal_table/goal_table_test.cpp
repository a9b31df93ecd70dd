// SPDX-License-Identifier: Apache-2.0
#include "bench/goal_table/goal_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tessera/errors.hpp"

namespace tessera::bench {
namespace {

using nlohmann::json;

json row(const char* name, double ratio, double goal) {
    return {{"name", name},   {"run_name", name}, {"run_type", "iteration"},
            {"ratio", ratio}, {"goal", goal},     {"real_time", 1.0}};
}

json run_of(json rows) {
    return {{"context", {{"num_cpus", 2}}}, {"benchmarks", std::move(rows)}};
}

TEST(GoalTable, IsMetOnItsBoundOnly) {
    json upper = row("slow enough", 1.05, 1.05);
    upper["goal_is_upper"] = 1.0;
    json too_much = row("too much", 1.06, 1.05);
    too_much["goal_is_upper"] = 1.0;

    const auto goals = goals_of(
        run_of({row("at the goal", 0.75, 0.75), row("short of it", 0.74, 0.75), upper, too_much}));

    ASSERT_EQ(goals.size(), 4U);
    EXPECT_TRUE(goals[0].is_met());
    EXPECT_FALSE(goals[1].is_met());
    EXPECT_TRUE(goals[2].is_met());
    EXPECT_FALSE(goals[3].is_met());
}

TEST(GoalTable, FoldsRepetitionsToTheirMedianAndIgnoresAggregates) {
    json mean = row("exp", 9, 4);
    mean["run_type"] = "aggregate";

    const auto goals = goals_of(run_of({row("exp/real_time", 3, 4), row("exp/real_time", 6, 4),
                                        row("exp/real_time", 5, 4), mean}));

    ASSERT_EQ(goals.size(), 1U);
    EXPECT_EQ(goals[0].name, "exp");
    EXPECT_DOUBLE_EQ(goals[0].reached, 5);
}

TEST(GoalTable, LeavesHowItWasMeasuredOutOfTheNameButNoArguments) {
    const auto goals = goals_of(
        run_of({row("pack/4/iterations:3/real_time", 1, 1), row("run/min_time:2.000", 1, 1)}));

    ASSERT_EQ(goals.size(), 2U);
    EXPECT_EQ(goals[0].name, "pack/4");
    EXPECT_EQ(goals[1].name, "run");
}

TEST(GoalTable, LeavesOutBenchmarksWithoutGoal) {
    json plain = row("plain", 1, 1);
    plain.erase("goal");

    EXPECT_TRUE(goals_of(run_of({plain})).empty());
}

TEST(GoalTable, KeepsABenchmarkThatFailedWithWhatItSaid) {
    const json failed{{"name", "sgemm"},
                      {"run_name", "sgemm"},
                      {"run_type", "iteration"},
                      {"error_occurred", true},
                      {"error_message", "no library"}};

    const auto goals = goals_of(run_of({failed}));

    ASSERT_EQ(goals.size(), 1U);
    EXPECT_FALSE(goals[0].is_met());
    EXPECT_EQ(to_json(goals, "m")["goals"][0],
              json({{"goal", "sgemm"}, {"met", false}, {"failure", "no library"}}));
}

TEST(GoalTable, RefusesWhatNoBenchWrote) {
    EXPECT_THROW((void)goals_of(json::array()), UsageError);
}

TEST(GoalTable, PrintsOneLineAGoalAndTheMachine) {
    json upper = row("recording", 1.041, 1.05);
    upper["goal_is_upper"] = 1.0;
    const json run = run_of({row("matmul_tiles", 0.7, 0.75), upper});

    EXPECT_EQ(to_text(goals_of(run), machine_of(run, "Some CPU")),
              "  goal          reached  wanted\n"
              "  matmul_tiles      0.7  ≥ 0.75  not met\n"
              "  recording        1.04  ≤ 1.05  met\n"
              "\n"
              "  1 of 2 goals met on Some CPU, 2 CPUs\n");
}

TEST(GoalTable, GivesMachinesTheSame) {
    const json run = run_of({row("matmul_tiles", 0.7, 0.75)});

    EXPECT_EQ(to_json(goals_of(run), "m"), json::parse(R"({"machine": "m", "goals": [
        {"goal": "matmul_tiles", "reached": 0.7, "wanted": 0.75, "bound": "at_least",
         "met": false}]})"));
}

}  // namespace
}  // namespace tessera::bench
