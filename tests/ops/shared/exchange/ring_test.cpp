// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/errors.hpp"

namespace tessera::ops::exchange {
namespace {

struct Case {
    const char* name;
    MeshShape shape;
    Topology topology;
    std::uint32_t longest_hop;
};

std::vector<std::uint32_t> devices_of(const std::vector<RingPlace>& ring) {
    std::vector<std::uint32_t> devices;
    for (const RingPlace& place : ring) {
        devices.push_back(place.device);
    }
    return devices;
}

class Ring : public ::testing::TestWithParam<Case> {
protected:
    const MeshShape shape_ = GetParam().shape;
    const Topology topology_ = GetParam().topology;
    const std::vector<RingPlace> ring_ = make_ring({shape_, topology_, "any"});
};

TEST_P(Ring, VisitsEachDeviceOnce) {
    std::vector<std::uint32_t> devices = devices_of(ring_);
    std::ranges::sort(devices);

    ASSERT_EQ(devices.size(), shape_.num_devices());
    for (std::uint32_t id = 0; id < devices.size(); ++id) {
        EXPECT_EQ(devices[id], id);
    }
}

TEST_P(Ring, RoutesLeadToTheNeighboursInTheRing) {
    for (std::size_t i = 0; i < ring_.size(); ++i) {
        const std::uint32_t next = ring_[(i + 1) % ring_.size()].device;
        const std::uint32_t previous = ring_[(i + ring_.size() - 1) % ring_.size()].device;

        EXPECT_EQ(neighbour(shape_, topology_, ring_[i].device, ring_[i].to_next), next);
        EXPECT_EQ(neighbour(shape_, topology_, ring_[i].device, ring_[i].to_previous), previous);
    }
}

TEST_P(Ring, NoStepIsLongerThanStated) {
    std::uint32_t longest = 0;
    for (const RingPlace& place : ring_) {
        longest = std::max(longest, place.to_next.hops);
    }

    EXPECT_EQ(longest, GetParam().longest_hop);
}

INSTANTIATE_TEST_SUITE_P(Meshes, Ring,
                         ::testing::Values(Case{"TwoInALine", {1, 2}, Topology::Line, 1},
                                           Case{"TwoInARing", {1, 2}, Topology::Ring, 1},
                                           Case{"EightInALine", {1, 8}, Topology::Line, 7},
                                           Case{"EightInARing", {1, 8}, Topology::Ring, 1},
                                           Case{"ColumnOfFive", {5, 1}, Topology::Line, 4},
                                           Case{"TwoByTwo", {2, 2}, Topology::Line, 1},
                                           Case{"TwoByFour", {2, 4}, Topology::Line, 1},
                                           Case{"FourByEight", {4, 8}, Topology::Line, 1},
                                           Case{"ThreeByTwo", {3, 2}, Topology::Line, 1},
                                           Case{"ThreeByFour", {3, 4}, Topology::Line, 1},
                                           Case{"ThreeByThree", {3, 3}, Topology::Line, 2},
                                           Case{"ThreeByFive", {3, 5}, Topology::Line, 4},
                                           Case{"ThreeByFiveTorus", {3, 5}, Topology::Torus, 1}),
                         [](const auto& row) { return row.param.name; });

TEST(RingOrder, IsTheNaturalOneOnALine) {
    EXPECT_EQ(devices_of(make_ring({{1, 4}, Topology::Line, "any"})),
              (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

// 0 1 2 3
// 4 5 6 7
TEST(RingOrder, GoesRoundTwoRows) {
    EXPECT_EQ(devices_of(make_ring({{2, 4}, Topology::Line, "any"})),
              (std::vector<std::uint32_t>{0, 1, 2, 3, 7, 6, 5, 4}));
}

TEST(RingErrors, AStepBeyondAPacketHeadersRouteIsRefused) {
    try {
        (void)make_ring({{1, 34}, Topology::Line, "any"});
        FAIL() << "no error";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "make a ring whose step from device 0 to device 33 of a 1×34 mesh (line) "
                     "takes 33 hops; "
                     "at most 32 are possible");
    }
}

}  // namespace
}  // namespace tessera::ops::exchange
