// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/resolved.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tessera::config {
namespace {

const Resolved kResolved{
    {"mesh.shape", "[1, 8]", "[1,8]", "", {OriginKind::File, "r.yaml", 3, 10}, std::nullopt},
    {"mesh.topology", "ring", "\"ring\"", "", {}, std::nullopt},
    {"arch.clock",
     "1 GHz",
     "1000000000",
     "Hz",
     {OriginKind::File, "a.yaml", 7, 16},
     Fact{"a report", "[0.9 GHz, 1 GHz]"}},
    {"arch.l1.zeros",
     "64 B",
     "64",
     "B",
     {OriginKind::Override, "--set arch.l1.zeros=64 B", 0, 0},
     Fact{"assumed — nobody says", std::nullopt}},
};

TEST(ResolvedText, HasOneAlignedLineForEachKey) {
    EXPECT_EQ(to_text(kResolved),
              "mesh.shape: [1, 8]   # r.yaml:3:10\n"
              "mesh.topology: ring  # default\n"
              "arch.clock: 1 GHz    # a.yaml:7:16; a report; range [0.9 GHz, 1 GHz]\n"
              "arch.l1.zeros: 64 B  # --set arch.l1.zeros=64 B; assumed — nobody says\n");
}

TEST(ResolvedJson, HoldsNumbersInBaseUnits) {
    const nlohmann::json json = to_json(kResolved);

    EXPECT_EQ(json.at(0).at("value"), nlohmann::json({1, 8}));
    EXPECT_FALSE(json.at(0).contains("unit"));
    EXPECT_EQ(json.at(1).at("value"), "ring");
    EXPECT_EQ(json.at(2).at("value"), 1000000000);
    EXPECT_EQ(json.at(2).at("unit"), "Hz");
    EXPECT_EQ(json.at(2).at("source"), "a report");
    EXPECT_EQ(json.at(2).at("range"), "[0.9 GHz, 1 GHz]");
    EXPECT_EQ(json.at(3).at("origin"), "--set arch.l1.zeros=64 B");
}

TEST(Assumed, ListsFactsWithoutADocument) {
    const auto found = assumed(kResolved);

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front()->path, "arch.l1.zeros");
}

TEST(Find, GivesNothingForAnUnknownPath) {
    EXPECT_EQ(find(kResolved, "mesh"), nullptr);
}

}  // namespace
}  // namespace tessera::config
