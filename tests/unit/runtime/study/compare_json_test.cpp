// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/study/compare.hpp"
#include "tests/unit/runtime/study/figures.hpp"

namespace tessera::compare {
namespace {

TEST(CompareJson, HoldsDifferencesInNanosecondsAndVerdicts) {
    const auto a = test::run_of("a", {test::step_of("gate", 900, 1'000, 1'100)});
    const auto b = test::run_of("b", {test::step_of("up", 800, 2'000, 2'100)});

    const auto json = to_json(compare(a, b));

    EXPECT_EQ(json.at("schema"), "tessera.compare");
    EXPECT_EQ(json.at("version"), 3);
    EXPECT_EQ(json.at("a"), "a on n150");
    EXPECT_EQ(json.at("run").at("verdict"), "leaning");
    EXPECT_EQ(json.at("run").at("verdict_text"), "leaning: 66 % of 255 pairs");
    EXPECT_EQ(json.at("run").at("difference").at("expected"), 1.0);
    EXPECT_EQ(json.at("steps").size(), 2U);
    EXPECT_EQ(json.at("steps")[0].at("b"), nullptr);
    EXPECT_EQ(json.at("steps")[1].at("b").at("high"), 2.1);
    EXPECT_EQ(json.at("steps")[1].at("activities")[0].at("name"), "matmul");
}

}  // namespace
}  // namespace tessera::compare
