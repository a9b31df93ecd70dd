// SPDX-License-Identifier: Apache-2.0
#include "tessera/mesh_links.hpp"

#include <gtest/gtest.h>

#include "emu/core/fault.hpp"
#include "emu/mesh/link.hpp"
#include "emu/mesh/mesh.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

// 2 rows of 4 devices:  0 1 2 3
//                       4 5 6 7
constexpr MeshShape kTwoByFour{2, 4};

struct Case {
    const char* name;
    MeshShape shape;
    Topology topology;
    std::uint32_t from;
    LinkRoute route;
    std::optional<std::uint32_t> device;
};

class Neighbour : public ::testing::TestWithParam<Case> {};

TEST_P(Neighbour, IsWhereTheRouteLeads) {
    const Case& c = GetParam();

    EXPECT_EQ(neighbour(c.shape, c.topology, c.from, c.route), c.device);
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, Neighbour,
    ::testing::Values(
        Case{"East", kTwoByFour, Topology::Line, 1, {LinkDirection::East, 2}, 3},
        Case{"West", kTwoByFour, Topology::Line, 6, {LinkDirection::West, 2}, 4},
        Case{"South", kTwoByFour, Topology::Line, 2, {LinkDirection::South, 1}, 6},
        Case{"North", kTwoByFour, Topology::Line, 7, {LinkDirection::North, 1}, 3},
        Case{"EndOfALine", kTwoByFour, Topology::Line, 3, {LinkDirection::East, 1}, std::nullopt},
        Case{"ARingClosesOneRow", {1, 4}, Topology::Ring, 3, {LinkDirection::East, 1}, 0},
        Case{"ARingClosesOneColumn", {4, 1}, Topology::Ring, 0, {LinkDirection::North, 1}, 3},
        Case{"ARingOfRowsIsNone",
             kTwoByFour,
             Topology::Ring,
             3,
             {LinkDirection::East, 1},
             std::nullopt},
        Case{"ATorusClosesRows", kTwoByFour, Topology::Torus, 4, {LinkDirection::West, 1}, 7},
        Case{"ATorusClosesColumns", kTwoByFour, Topology::Torus, 1, {LinkDirection::North, 1}, 5}),
    [](const auto& row) { return row.param.name; });

TEST(StraightRoute, TakesTheShorterWayRoundATorus) {
    EXPECT_EQ(straight_route({1, 8}, Topology::Torus, 0, 7), (LinkRoute{LinkDirection::West, 1}));
    EXPECT_EQ(straight_route({1, 8}, Topology::Torus, 0, 3), (LinkRoute{LinkDirection::East, 3}));
    EXPECT_EQ(straight_route({1, 8}, Topology::Line, 7, 0), (LinkRoute{LinkDirection::West, 7}));
}

TEST(StraightRoute, DoesNotTurnCorners) {
    EXPECT_EQ(straight_route(kTwoByFour, Topology::Torus, 0, 5), std::nullopt);
}

TEST(AcrossLinks, LeavingTheMeshNamesRouteAndMesh) {
    const Mesh mesh({.shape = {1, 2}, .topology = Topology::Line, .device = "test_arch"},
                    testing::make_arch(1, 1));

    try {
        (void)across_links(mesh.device(1), {LinkDirection::East, 1}, "send", CallSite::here());
        FAIL() << "no fault";
    } catch (const KernelFault& fault) {
        EXPECT_EQ(fault.category, FaultCategory::OutOfBounds);
        EXPECT_EQ(fault.detail,
                  "send: 1 hop east of device 1 lies outside the mesh of 1×2 devices (line)");
    }
}

}  // namespace
}  // namespace tessera
