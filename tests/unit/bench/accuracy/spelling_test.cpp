// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/spelling.hpp"

#include <gtest/gtest.h>

namespace tessera::score {
namespace {

TEST(Spelling, LeavesWhatProgramsReadAsItIs) {
    EXPECT_EQ(respelled("mem=L1;grid=2x2;flow=(1,1)->(2,2)"), "mem=L1;grid=2x2;flow=(1,1)->(2,2)");
    EXPECT_EQ(respelled(""), "");
}

TEST(Spelling, LeavesOutAGridThatTheWorkloadNames) {
    EXPECT_EQ(respelled("mem=L1;grid=one row;num_dest=8"), "mem=L1;num_dest=8");
    EXPECT_EQ(respelled("grid=one column"), "");
}

TEST(Spelling, JoinsOtherFlowsAndTurnsArrows) {
    EXPECT_EQ(respelled("flow=(1,1)->(2,2);noc=0;other_flows=(3,3)->(4,4)"),
              "flow=(1,1)->(2,2) (3,3)->(4,4);noc=0");
    EXPECT_EQ(respelled("flow=(1,1)<-(2,2);other_flows=(3,3)<-(4,4)"),
              "flow=(1,1)->(2,2) (3,3)->(4,4)");
}

}  // namespace
}  // namespace tessera::score
