// SPDX-License-Identifier: Apache-2.0
// Expected counts: flows that share a link, drawn on paper. The packets and cycles of published
// rows give the same counts for patterns (T3000: 60 000 packets at 20 000 per flow are 3 flows).
#include "bench/accuracy/programs/fabric_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::score {
namespace {

FabricPattern edm(const char* ends_only, const char* one_way) {
    return edm_pattern(
        "unicast_Linear",
        Parameters(fmt::format("line_size=8;interior_workers_disabled={};unidirectional={}",
                               ends_only, one_way)));
}

FabricPattern ubench(std::string_view name, const char* machine) {
    return ubench_pattern(name, Parameters(fmt::format("machine={}", machine)));
}

TEST(FabricPattern, HalfOfALineSendsToEachEnd) {
    const FabricPattern pattern = edm("False", "False");

    ASSERT_EQ(pattern.flows.size(), 8);
    EXPECT_EQ(pattern.flows[3].route, (LinkRoute{LinkDirection::East, 4}));
    EXPECT_EQ(pattern.flows[4].route, (LinkRoute{LinkDirection::West, 4}));
    EXPECT_EQ(pattern.counted, 4);
}

TEST(FabricPattern, InteriorWorkersStandStill) {
    const FabricPattern pattern = edm("True", "False");

    ASSERT_EQ(pattern.flows.size(), 2);
    EXPECT_EQ(pattern.flows[0].route, (LinkRoute{LinkDirection::East, 7}));
    EXPECT_EQ(pattern.flows[1].route, (LinkRoute{LinkDirection::West, 7}));
    EXPECT_EQ(pattern.counted, 1);
}

TEST(FabricPattern, OneWayOfFourSendersCountsAsOne) {
    const FabricPattern pattern = edm("False", "True");

    EXPECT_EQ(pattern.flows.size(), 4);
    EXPECT_EQ(pattern.counted, 1);
}

TEST(FabricPattern, TheLongerAxisOfAMeshStandsForBoth) {
    const FabricPattern pattern =
        edm_pattern("unicast_Linear_all_rows_all_cols_mesh",
                    Parameters("line_size=[4,2];interior_workers_disabled=[False,False];"
                               "unidirectional=[False,False]"));

    EXPECT_EQ(pattern.shape, (MeshShape{1, 4}));
    EXPECT_EQ(pattern.counted, 2);
}

TEST(FabricPattern, NeighboursExchangeBothWaysOverEachLink) {
    const FabricPattern pattern = ubench("NeighborExchangeLinear", "T3000 8 chips");

    EXPECT_EQ(pattern.flows.size(), 6);
    EXPECT_EQ(pattern.counted, 1);
}

TEST(FabricPattern, ASingleSendersFlowsShareItsFirstLink) {
    EXPECT_EQ(ubench("SingleSenderLinearUnicastAllDevices", "T3000 8 chips").counted, 3);
    EXPECT_EQ(ubench("SingleSenderLinearUnicastAllDevices", "Galaxy 32 chips").counted, 7);
}

TEST(FabricPattern, PacketsAroundARingPassAllOthers) {
    const FabricPattern pattern = ubench("FullRingUnicast", "4 x P150");

    EXPECT_EQ(pattern.topology, Topology::Ring);
    EXPECT_EQ(pattern.flows.size(), 8);
    EXPECT_EQ(pattern.counted, 3);
}

TEST(FabricPattern, MulticastsReachAllOnTheirWay) {
    const FabricPattern pattern =
        edm_pattern("mcast_Linear", Parameters("line_size=8;interior_workers_disabled=True;"
                                               "unidirectional=True"));

    ASSERT_EQ(pattern.flows.size(), 1);
    EXPECT_EQ(pattern.flows[0].route, (LinkRoute{LinkDirection::East, 7}));
    EXPECT_EQ(pattern.flows[0].cast, Cast::ToAllOnTheWay);
}

TEST(FabricPattern, StreamsOfALinePassTheRoutersOfARing) {
    const FabricPattern pattern =
        edm_pattern("unicast_RingAsLinear", Parameters("line_size=4;interior_workers_disabled=True;"
                                                       "unidirectional=True"));

    EXPECT_EQ(pattern.topology, Topology::Ring);
    ASSERT_EQ(pattern.flows.size(), 1);
    EXPECT_EQ(pattern.flows[0].route, (LinkRoute{LinkDirection::East, 3}));
}

TEST(FabricPattern, AFullRingIsGoneAroundBothWays) {
    const FabricPattern pattern =
        edm_pattern("mcast_FullRing", Parameters("line_size=4;interior_workers_disabled=False;"
                                                 "unidirectional=False"));

    EXPECT_EQ(pattern.topology, Topology::Ring);
    EXPECT_EQ(pattern.flows.size(), 8);
    EXPECT_EQ(pattern.flows[0].route.hops, 3);
    EXPECT_EQ(pattern.counted, 3);
}

// Published: 140 000 packets at 20 000 per flow are 7 flows on a line of 8, 80 000 are 4.
TEST(FabricPattern, LinesOfMulticastsShareTheirBusiestLink) {
    EXPECT_EQ(ubench("LinearMulticast", "Galaxy 32 chips").counted, 7);
    EXPECT_EQ(ubench("LinearMulticast", "T3000 8 chips").counted, 3);
    EXPECT_EQ(ubench("UnidirLinearMulticast", "Galaxy 32 chips").counted, 4);
    EXPECT_EQ(ubench("UnidirLinearMulticast", "T3000 8 chips").counted, 2);
}

// 700 000 packets at five times 20 000 per flow are 7 flows on a ring of 8, 400 000 are 4.
TEST(FabricPattern, RingsOfMulticastsShareALink) {
    EXPECT_EQ(ubench("FullRingMulticast", "T3000 8 chips").counted, 7);
    EXPECT_EQ(ubench("HalfRingMulticast", "T3000 8 chips").counted, 4);
    EXPECT_EQ(ubench("HalfRingMulticast", "4 x P150").counted, 2);
}

// Published: 480 000 packets at 20 000 per flow pass the busiest link of a Galaxy, 120 000 of a
// T3000, 40 000 of four P150.
TEST(FabricPattern, BoxesToAllOfAMeshShareALinkAlongARow) {
    EXPECT_EQ(ubench("MeshMulticast", "Galaxy 32 chips").counted, 24);
    EXPECT_EQ(ubench("MeshMulticast", "T3000 8 chips").counted, 6);
    EXPECT_EQ(ubench("CustomMaxPacketSizeMesh3K", "4 x P150").counted, 2);
    EXPECT_EQ(ubench("TorusAllToAllMulticast", "Galaxy 32 chips").counted, 24);
}

// 560 000, 80 000 and 40 000 packets at 20 000 per flow.
TEST(FabricPattern, ASingleSendersFlowsLeaveAMeshesCornerAlongTheColumn) {
    constexpr const char* kName = "SingleSenderMeshUnicastAllDevices";
    EXPECT_EQ(ubench(kName, "Galaxy 32 chips").counted, 28);
    EXPECT_EQ(ubench(kName, "T3000 8 chips").counted, 4);
    EXPECT_EQ(ubench(kName, "4 x P150").counted, 2);
}

TEST(FabricPattern, ABoxReachesEachOtherDeviceOnce) {
    const FabricPattern pattern = ubench("MeshMulticast", "T3000 8 chips");
    std::vector<std::uint32_t> reached;
    for (const FabricFlow& flow : pattern.flows) {
        for (const std::uint32_t device : receivers_of(flow, pattern)) {
            if (flow.device == 5) {
                reached.push_back(device);
            }
        }
    }

    std::ranges::sort(reached);
    EXPECT_EQ(reached, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 6, 7}));
}

TEST(FabricPattern, AnUnknownMachineOrPatternEndsTheRow) {
    EXPECT_THROW((void)ubench("FullRingUnicast", "1 x P300"), NotExpressible);
    EXPECT_THROW((void)ubench("Sequential", "4 x P150"), NotExpressible);
}

}  // namespace
}  // namespace tessera::score
