// SPDX-License-Identifier: Apache-2.0
// Whom a device sends to first, in each direction.
#include <gmock/gmock.h>

#include "ops/shared/token_exchange/cores.hpp"
#include "tests/ops/collectives/group_run.hpp"

namespace tessera {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint32_t> peers(const MeshSpec& mesh, std::uint32_t position,
                                 LinkDirection direction) {
    const std::vector<std::uint32_t> devices = testing::all_of(mesh);
    const ops::token_exchange::Rank rank{testing::wormhole(), mesh, devices, position};
    return rank.peers_of(static_cast<std::uint32_t>(direction));
}

TEST(PeersOnALine, AreServedFromTheNearestInBothDirections) {
    const MeshSpec line{{1, 5}, Topology::Line, "wormhole_n150"};

    EXPECT_THAT(peers(line, 2, LinkDirection::East), ElementsAre(3, 4));
    EXPECT_THAT(peers(line, 2, LinkDirection::West), ElementsAre(1, 0));
    EXPECT_THAT(peers(line, 4, LinkDirection::West), ElementsAre(3, 2, 1, 0));
}

// Each device begins with the device at the same distance, so no two begin with the same one.
TEST(PeersOnARing, AreServedInTheOrderOfTheRing) {
    const MeshSpec ring{{1, 5}, Topology::Ring, "wormhole_n150"};

    EXPECT_THAT(peers(ring, 3, LinkDirection::East), ElementsAre(4, 0));
    EXPECT_THAT(peers(ring, 3, LinkDirection::West), ElementsAre(1, 2));
}

}  // namespace
}  // namespace tessera
