// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/noc_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/arch_fixture.hpp"

namespace tessera::score {
namespace {

NocParties parties(const char* workload, const char* parameters, const ArchSpec& arch) {
    const Parameters values(parameters);
    return noc_parties_of(noc_pattern_of({.workload = workload}, values), values, arch);
}

TEST(NocPattern, OfTwoCoresIsACoreBelowOrDiagonal) {
    const ArchSpec arch = testing::make_arch(4, 4);

    const auto near = parties("NoC one from one unicast", "adjacent_or_same_axis=True", arch);
    const auto far = parties("NoC one to one unicast", "adjacent_or_same_axis=False", arch);

    EXPECT_THAT(near.masters.cores(), ::testing::ElementsAre(CoreCoord{0, 0}));
    EXPECT_THAT(near.far_ends, ::testing::ElementsAre(CoreCoord{0, 1}));
    EXPECT_THAT(far.far_ends, ::testing::ElementsAre(CoreCoord{1, 1}));
}

TEST(NocPattern, SingleMasterStandsBesideItsReceivers) {
    const auto found =
        parties("NoC one to all unicast", "num_dest=4;grid=2x2", testing::make_arch(4, 4));

    EXPECT_THAT(found.masters.cores(), ::testing::ElementsAre(CoreCoord{2, 0}));
    EXPECT_EQ(found.far_ends.size(), 4U);
}

TEST(NocPattern, SingleMasterOfTheWholeGridIsNoReceiver) {
    const auto found = parties("NoC one to all unicast", "num_dest=15", testing::make_arch(4, 4));

    EXPECT_THAT(found.masters.cores(), ::testing::ElementsAre(CoreCoord{0, 0}));
    EXPECT_EQ(found.far_ends.size(), 15U);
    EXPECT_THAT(found.far_ends, ::testing::Not(::testing::Contains(CoreCoord{0, 0})));
}

TEST(NocPattern, MulticastWithLoopbackComesFromInside) {
    const ArchSpec arch = testing::make_arch(4, 4);

    const auto inside = parties("NoC one to all multicast", "grid=2x2;loopback=True", arch);
    const auto outside = parties("NoC one to all multicast", "grid=2x2;loopback=False", arch);

    EXPECT_THAT(inside.masters.cores(), ::testing::ElementsAre(CoreCoord{0, 0}));
    EXPECT_THAT(outside.masters.cores(), ::testing::ElementsAre(CoreCoord{2, 0}));
    EXPECT_EQ(outside.rectangle, CoreRange({0, 0}, {1, 1}));
}

TEST(NocPattern, AllToAllHasAsManyMastersAsReceivers) {
    const auto found =
        parties("NoC all to all unicast", "num_dest=9;grid=3x3", testing::make_arch(4, 4));

    EXPECT_EQ(found.masters.num_cores(), 9U);
    EXPECT_EQ(found.far_ends.size(), 9U);
}

TEST(NocPattern, RefusesWhatTheGridDoesNotHold) {
    EXPECT_THROW(parties("NoC all to all unicast", "grid=5x5", testing::make_arch(4, 4)),
                 NotExpressible);
    EXPECT_THROW(parties("NoC some to all unicast", "grid=2x2", testing::make_arch(4, 4)),
                 NotExpressible);
}

}  // namespace
}  // namespace tessera::score
