// SPDX-License-Identifier: Apache-2.0
#include "emu/base/fields/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tessera::config {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("same", "same"), 0U);
    EXPECT_EQ(edit_distance("rnu", "run"), 1U);
}

TEST(Nearest, IsTheFirstOfEquallyNearWords) {
    const std::array<std::string, 3> known{"tokens", "top_k", "hidden"};

    EXPECT_EQ(nearest("tokns", known), "tokens");
    EXPECT_EQ(nearest("topk", known), "top_k");
    EXPECT_EQ(nearest("zzzzzz", known), "tokens");
}

TEST(NearestFew, AreThoseThatTheWordMayHaveBeenMeantToBe) {
    const std::array<std::string, 4> known{"copy", "moe_v2", "moe_v1", "moe_v2_tiny"};

    EXPECT_EQ(nearest_few("moe_v3", known, 3), (std::vector<std::string>{"moe_v2", "moe_v1"}));
    EXPECT_EQ(nearest_few("moe_v3", known, 1), (std::vector<std::string>{"moe_v2"}));
    EXPECT_EQ(nearest_few("zzzz", known, 3), std::vector<std::string>{});
}

TEST(Correction, SuggestsOnlyALikelyWordElseItNamesTheAllowedOnes) {
    const std::array<std::string, 3> known{"tokens", "top_k", "hidden"};

    EXPECT_EQ(correction("tokns", known, "params."), "did you mean params.tokens?");
    EXPECT_EQ(correction("zzzzzz", known, "params."),
              "allowed: params.tokens, params.top_k, params.hidden");
    EXPECT_EQ(correction("zzzzzz", std::vector<std::string>(20, "a")),
              "allowed: a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a and 4 more");
    EXPECT_EQ(correction("tokns", {}), "allowed: none");
    EXPECT_EQ(did_you_mean("topk", known), ", did you mean top_k?");
    EXPECT_EQ(did_you_mean("zzzzzz", known), ".");
}

TEST(Correction, KnowsShortFormsOfNamesAndPaths) {
    const std::array<std::string, 2> devices{"blackhole_p150", "wormhole_n150"};
    const std::array<std::string, 2> kernels{"ops/scale/kernels/reader.cpp",
                                             "ops/scale/kernels/compute.cpp"};

    EXPECT_EQ(plausible("n150", devices), "wormhole_n150");
    EXPECT_EQ(plausible("compote.cpp", kernels), "ops/scale/kernels/compute.cpp");
    EXPECT_EQ(plausible("a.cpp", kernels), std::nullopt);
}

// Both keys are in the map `params`, which says nothing about their likeness.
TEST(Plausible, ComparesTheKeysOfOneMapWithoutTheMap) {
    const std::vector<std::string> known{"params.M", "params.tokens"};

    EXPECT_EQ(plausible("params.Q", known), std::nullopt);
    EXPECT_EQ(plausible("params.tokesn", known), "params.tokens");
}

}  // namespace
}  // namespace tessera::config
