// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/unit/emu/api/fabric/box_run.hpp"

namespace tessera {
namespace {

using testing::BoxRun;
using testing::Sides;
using enum LinkDirection;

struct Mistake {
    const char* name;
    LinkDirection connection;
    Sides sides;
    FaultCategory category;
    const char* detail;
};

class FabricBoxMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(FabricBoxMistake, IsRefusedWithItsReason) {
    BoxRun run;

    try {
        run.launch(GetParam().connection, GetParam().sides);
        FAIL() << "no error";
    } catch (const KernelError& error) {
        EXPECT_EQ(error.category(), GetParam().category);
        EXPECT_EQ(error.detail(), GetParam().detail);
        EXPECT_EQ(error.where().device, BoxRun::kSender);
        EXPECT_NE(error.where().line, 0U);
    }
}

constexpr FaultCategory kUndefined = FaultCategory::UndefinedBehavior;
constexpr FaultCategory kBounds = FaultCategory::OutOfBounds;

INSTANTIATE_TEST_SUITE_P(
    Kernels, FabricBoxMistake,
    ::testing::Values(
        Mistake{"Empty",
                North,
                {},
                kUndefined,
                "fabric_set_mcast_route: 0 hops east, 0 west, 0 north, 0 south: a packet leaves "
                "over one link, to the north or south or, with neither, to the east or west"},
        Mistake{"BothWaysAlongTheColumn",
                North,
                {.north = 1, .south = 1},
                kUndefined,
                "fabric_set_mcast_route: 0 hops east, 0 west, 1 north, 1 south: a packet leaves "
                "over one link, to the north or south or, with neither, to the east or west"},
        Mistake{"BothWaysAlongTheRow",
                East,
                {.east = 1, .west = 1},
                kUndefined,
                "fabric_set_mcast_route: 1 hops east, 1 west, 0 north, 0 south: a packet leaves "
                "over one link, to the north or south or, with neither, to the east or west"},
        Mistake{"TooFar",
                East,
                {.east = 32},
                kBounds,
                "fabric_set_mcast_route: 32 hops east, 0 west, 0 north, 0 south: a packet header "
                "holds at most 31 each way"},
        Mistake{"AnotherLink",
                South,
                {.east = 1, .north = 1},
                kUndefined,
                "send_payload_flush_blocking_from_address: the packet's route begins to the "
                "north, the connection leads to the south"},
        Mistake{"LeavesTheMesh",
                North,
                {.east = 2, .north = 1},
                kBounds,
                "send_payload_flush_blocking_from_address: 2 hops east of device 1 lies outside "
                "the mesh of 3×3 devices (line)"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace tessera
