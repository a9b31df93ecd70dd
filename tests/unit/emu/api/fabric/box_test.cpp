// SPDX-License-Identifier: Apache-2.0
// Devices of a 3×3 mesh by row: 0 1 2 / 3 4 5 / 6 7 8.
#include <gtest/gtest.h>

#include "tests/unit/emu/api/fabric/box_run.hpp"

namespace tessera {
namespace {

using testing::BoxRun;
using enum LinkDirection;
using Devices = std::vector<std::uint32_t>;

TEST(FabricBox, GoesAlongTheColumnAndBothWaysAlongEachRow) {
    BoxRun run;
    run.receivers = {0, 1, 2};

    run.launch(North, {.east = 1, .west = 1, .north = 1});

    EXPECT_EQ(run.written(), (Devices{0, 1, 2}));
}

TEST(FabricBox, MayBeAColumnWithOneSide) {
    BoxRun run;
    run.receivers = {7, 8};

    run.launch(South, {.east = 1, .south = 1});

    EXPECT_EQ(run.written(), (Devices{7, 8}));
}

TEST(FabricBox, WithoutAColumnIsTheSendersOwnRow) {
    BoxRun run;
    run.receivers = {3};

    run.launch(West, {.west = 1});

    EXPECT_EQ(run.written(), Devices{3});
}

TEST(FabricBox, CrossesTheSendersLinkOnce) {
    BoxRun run;

    // No receiver waits: the sender's core is the only one.
    const LaunchResult result = run.launch(North, {.east = 1, .west = 1, .north = 1});

    ASSERT_EQ(result.cores.size(), 1U);
    EXPECT_EQ(result.cores[0].bytes_linked, BoxRun::kSize);
}

}  // namespace
}  // namespace tessera
