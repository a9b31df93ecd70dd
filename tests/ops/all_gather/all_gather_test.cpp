// SPDX-License-Identifier: Apache-2.0
#include "ops/all_gather/all_gather.hpp"

#include <gtest/gtest.h>

#include "tests/arch_fixture.hpp"
#include "tests/ops/all_gather/mesh_gather.hpp"

namespace tessera {
namespace {

using ops::all_gather::Algorithm;
using testing::MeshGather;
using testing::test_arch;

struct Case {
    std::string name;
    MeshShape mesh;
    Topology topology;
    Shape shape;
    Layout layout = Layout::ROW_MAJOR;
    ops::all_gather::Schedule schedule;
};

class AllGather : public ::testing::TestWithParam<Case> {};

TEST_P(AllGather, GivesEachDeviceAllTensorsInOrder) {
    const Case& c = GetParam();
    MeshGather gather({c.mesh, c.topology, "test_arch"}, test_arch(),
                      {c.shape, DataFormat::UInt32, c.layout});
    gather.schedule = c.schedule;

    gather.launch();

    for (std::uint32_t device = 0; device < c.mesh.num_devices(); ++device) {
        EXPECT_EQ(gather.result(device), gather.expected()) << "device " << device;
    }
}

constexpr Layout kRows = Layout::ROW_MAJOR;
constexpr ops::all_gather::Schedule kMulticast{.links = 1, .algorithm = Algorithm::Multicast};

INSTANTIATE_TEST_SUITE_P(
    Shapes, AllGather,
    ::testing::Values(
        Case{"OneDevice", {1, 1}, Topology::Line, {5, 8}, kRows, {}},
        Case{"TwoOnALine", {1, 2}, Topology::Line, {7, 8}, kRows, {}},
        Case{"TwoOnARing", {1, 2}, Topology::Ring, {7, 8}, kRows, {}},
        Case{"ThreeOnALine", {1, 3}, Topology::Line, {9, 8}, kRows, {}},
        Case{"ThreeOnARing", {1, 3}, Topology::Ring, {9, 8}, kRows, {}},
        Case{"FourOnARingOddPages", {1, 4}, Topology::Ring, {13, 8}, kRows, {}},
        Case{"EightOnARing",
             {1, 8},
             Topology::Ring,
             {20, 8},
             kRows,
             {.links = 2, .workers = 1, .sync_pages = 3}},
        Case{"EightInAColumnOfATorus",
             {8, 1},
             Topology::Torus,
             {20, 8},
             kRows,
             {.links = 4, .workers = 3, .sync_pages = 1, .cb_depth = 1}},
        Case{"FiveOnALineFewerPagesThanLinks",
             {1, 5},
             Topology::Line,
             {2, 8},
             kRows,
             {.links = 4, .workers = 1, .cb_depth = 1}},
        Case{"FarthestForward",
             {1, 6},
             Topology::Ring,
             {13, 8},
             kRows,
             {.farthest = ops::all_gather::FarthestSlice::Forward}},
        Case{"ToldMoreSeldomThanRead",
             {1, 6},
             Topology::Ring,
             {29, 8},
             kRows,
             {.links = 2, .workers = 1, .sync_pages = 5, .batch_pages = 2, .cb_depth = 3}},
        Case{"ToldMoreOftenThanRead",
             {1, 5},
             Topology::Line,
             {23, 8},
             kRows,
             {.sync_pages = 2, .batch_pages = 3}},
        Case{"OnePage", {1, 4}, Topology::Ring, {1, 8}, kRows, {.links = 2, .workers = 1}},
        Case{"Tiles",
             {1, 4},
             Topology::Ring,
             {64, 96},
             Layout::TILE,
             {.links = 2, .workers = 2, .sync_pages = 2}},
        Case{"MulticastByTwoOnALine", {1, 2}, Topology::Line, {7, 8}, kRows, kMulticast},
        Case{"MulticastByOneDevice", {1, 1}, Topology::Line, {5, 8}, kRows, kMulticast},
        Case{"MulticastAlongAColumnOfFive",
             {5, 1},
             Topology::Line,
             {23, 8},
             kRows,
             {.links = 3, .batch_pages = 2, .cb_depth = 3, .algorithm = Algorithm::Multicast}},
        Case{"MulticastOnARingOfEvenLength",
             {1, 4},
             Topology::Ring,
             {64, 96},
             Layout::TILE,
             {.links = 2, .batch_pages = 9, .algorithm = Algorithm::Multicast}},
        Case{"MulticastThatSendsBeforeItReadsOn",
             {1, 4},
             Topology::Line,
             {23, 8},
             kRows,
             {.links = 2,
              .batch_pages = 3,
              .cb_depth = 1,
              .read_ahead = false,
              .algorithm = Algorithm::Multicast}},
        Case{"MulticastOnARingOfOddLength", {1, 5}, Topology::Ring, {13, 8}, kRows, kMulticast},
        Case{"MulticastOfFewerPagesThanLinks",
             {1, 3},
             Topology::Line,
             {2, 8},
             kRows,
             {.links = 4, .algorithm = Algorithm::Multicast}},
        // A packet holds 7616 bytes.
        Case{"PagesOfOnePacket", {1, 3}, Topology::Ring, {5, 1904}, kRows, {}},
        Case{"PagesOfTwoPackets", {1, 4}, Topology::Ring, {5, 1908}, kRows, {.links = 2}},
        Case{"PagesOfThreePackets", {1, 3}, Topology::Line, {7, 4096}, kRows, {.sync_pages = 2}},
        Case{
            "PagesInPacketsOfATile", {1, 2}, Topology::Line, {3, 1000}, kRows, {.packet_tiles = 1}},
        Case{"MulticastOfPagesOfThreePackets",
             {1, 4},
             Topology::Ring,
             {7, 4096},
             kRows,
             {.links = 2, .batch_pages = 2, .algorithm = Algorithm::Multicast}},
        Case{"LeadingExtents",
             {1, 3},
             Topology::Line,
             {2, 33, 40},
             Layout::TILE,
             {.links = 1, .workers = 4}}),
    [](const auto& c) { return c.param.name; });

TEST(AllGatherBytes, AreTheSameForAnyNumberOfThreadsAndOrderOfDelivery) {
    const TensorSpec spec{{11, 8}, DataFormat::UInt32, Layout::ROW_MAJOR};
    for (const std::uint32_t threads : {1U, 2U, 5U}) {
        for (const NocDelivery delivery :
             {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
            MeshGather gather({{1, 4}, Topology::Ring, "test_arch"}, test_arch(), spec,
                              {.threads = threads, .delivery = delivery, .seed = 3});
            gather.launch();
            EXPECT_EQ(gather.result(2), gather.expected());
        }
    }
}

}  // namespace
}  // namespace tessera
