// SPDX-License-Identifier: Apache-2.0
#include "emu/base/fields/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tessera::config {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Nearest, IsTheFirstOfEquallyNearWords) {
    const std::array<std::string, 3> known{"tokens", "top_k", "hidden"};

    EXPECT_EQ(nearest("tokns", known), "tokens");
    EXPECT_EQ(nearest("topk", known), "top_k");
    EXPECT_EQ(nearest("zzzzzz", known), "tokens");
}

}  // namespace
}  // namespace tessera::config
