// SPDX-License-Identifier: Apache-2.0
// Buffer at a router's input: the space that channels may use, and the cost of a packet when other
// channels use it. Expected values are computed from tt-isa-documentation,
// WormholeB0/DRAMTile/README.md: 32 B per channel, up to 480 B more of the 1536 B that all share.
#include "emu/timing/network/router_buffer.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/unit/emu/timing/network/small_machine.hpp"
#include "tests/unit/emu/timing/network/streams.hpp"

namespace tessera::timing {
namespace {

constexpr std::uint32_t kTransfers = 100;
constexpr std::uint32_t kBytes = 1024;

class RouterBuffers : public testing::Test {
protected:
    SmallMachine small_;
    RouterBuffer buffer_{small_.arch.noc, small_.timing.noc};
    Resource link_;
};

// WormholeB0/NoC/README.md: a packet is a header of one flit and up to 256 flits of payload.
TEST_F(RouterBuffers, HoldAHeaderAndWholeFlitsOfAPacket) {
    EXPECT_EQ(buffer_.length(1), 64);
    EXPECT_EQ(buffer_.length(32), 64);
    EXPECT_EQ(buffer_.length(33), 96);
    EXPECT_EQ(buffer_.length(8192), 8224);
}

TEST_F(RouterBuffers, GiveAChannelNoMoreThanItsShare) {
    std::uint32_t taken = 0;

    EXPECT_EQ(buffer_.fill(link_, taken, 4096), 512);

    EXPECT_EQ(taken, 480);
    EXPECT_EQ(link_.shared_taken, 480);
}

TEST_F(RouterBuffers, LeaveTheFirstFlitOutOfWhatIsShared) {
    std::uint32_t taken = 0;

    EXPECT_EQ(buffer_.fill(link_, taken, 32), 32);
    EXPECT_EQ(taken, 0);
    EXPECT_EQ(buffer_.fill(link_, taken, 96), 96);
    EXPECT_EQ(taken, 64);
}

TEST_F(RouterBuffers, GiveWhatIsLeftToTheLastChannel) {
    std::array<std::uint32_t, 5> taken{};

    for (std::uint32_t& of_channel : taken) {
        buffer_.fill(link_, of_channel, 512);
    }

    EXPECT_EQ(taken[2], 480);
    EXPECT_EQ(taken[3], 1536 - 3 * 480);
    EXPECT_EQ(taken[4], 0);
}

TEST_F(RouterBuffers, TakeBackWhatAChannelDoesNotFillAnyMore) {
    std::uint32_t taken = 0;
    buffer_.fill(link_, taken, 512);

    buffer_.fill(link_, taken, 0);

    EXPECT_EQ(taken, 0);
    EXPECT_EQ(link_.shared_taken, 0);
}

TEST_F(RouterBuffers, AChannelWithAFlitSendsOneARoundTrip) {
    link_.shared_taken = 1536;

    EXPECT_LT(buffer_.most_taken(kBytes), link_.shared_taken);
    EXPECT_EQ(buffer_.throttled(link_, 33'000), 16 * 33'000);
    EXPECT_EQ(buffer_.most_taken(32), 1536);
}

TEST_F(RouterBuffers, AFreeBufferHidesTheRoundTrip) {
    EXPECT_EQ(buffer_.most_taken(kBytes), 1536 - 480);
}

/// One core reads from a bank beyond the link from x = 2 to x = 3, faster than the bank answers.
/// Another core reads from the core at x = 2; its answers use that link on separate channels.
StreamRun answers_beside_requests(const SmallMachine& small) {
    const auto stream = [](const Request& request) {
        return Stream{.requests = std::vector<Request>(kTransfers, request),
                      .interval = 1000,
                      .most_queued = 2};
    };
    Stream reader = stream(read({2, 1}, NocPlace::worker({1, 0}), kBytes));
    reader.begin = 500'000;  // requests are queued by then
    return {small.machine(), {stream(read({0, 0}, NocPlace::dram(2), kBytes)), reader}};
}

TEST(RouterBufferOnTheWay, RequestsThatWaitSlowAPacketThatPassesThem) {
    // A channel's share is the whole buffer: while 16 requests wait, an answer has one flit.
    SmallMachine small;
    small.timing.noc.router_buffer = Bytes{16 * 32 + 480};

    const StreamRun run = answers_beside_requests(small);

    // The first answers passed before there were 16 requests, and on either of two channels.
    EXPECT_EQ(run.times[1][11].delivered - run.times[1][10].delivered, 16 * 33'000);
}

TEST(RouterBufferOnTheWay, RequestsThatLeaveAShareDoNotSlowIt) {
    // The L1 that is read provides 16 B/cycle.
    const StreamRun run = answers_beside_requests(SmallMachine());

    const Millicycles time = run.times[1].back().delivered - run.times[1].front().delivered;
    EXPECT_NEAR(static_cast<double>(time), (kTransfers - 1) * 65'000, 100'000);
}

}  // namespace
}  // namespace tessera::timing
