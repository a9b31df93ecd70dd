// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/emu/api/fabric/mux_run.hpp"

namespace tessera {
namespace {

using testing::MuxRun;

class FabricMuxOnThreads : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(FabricMuxOnThreads, SendsPayloadsAndAdditionsOfAllItsWorkers) {
    MuxRun run({.threads = GetParam()});

    run.launch();

    EXPECT_EQ(run.arrived(run.workers[0]), MuxRun::payload(run.workers[0]));
    EXPECT_EQ(run.arrived(run.workers[1]), MuxRun::payload(run.workers[1]));
    EXPECT_EQ(run.counted(run.workers[0]), MuxRun::kPackets);
    EXPECT_EQ(run.counted(run.workers[2]), MuxRun::kPackets);
}

INSTANTIATE_TEST_SUITE_P(Threads, FabricMuxOnThreads, ::testing::Values(1, 2, 5));

// The trace does not contain the number of a worker's polls.
TEST(FabricMux, LeavesTheSameTraceOnAnyNumberOfThreads) {
    MuxRun one({.threads = 1, .trace = TraceMode::On});
    MuxRun five({.threads = 5, .trace = TraceMode::On});

    one.launch();
    five.launch();

    for (std::size_t core = 0; core < 4; ++core) {
        EXPECT_EQ(one.trace().launches.at(0).cores.at(core).threads.at(0).events,
                  five.trace().launches.at(0).cores.at(core).threads.at(0).events);
    }
}

TEST(FabricMux, ItsChannelIsInTheTraceOfItsWorker) {
    MuxRun run({.threads = 1, .trace = TraceMode::On});

    run.launch();

    const CoreTrace& core = run.trace().launches.at(0).cores.at(3);  // (1,1)
    const auto& events = core.threads.at(0).events;
    const auto open = std::ranges::find(events, EventKind::FabricOpen, &TraceEvent::kind);
    ASSERT_NE(open, events.end());
    const MuxArgument argument = MuxArgument::unpack(open->argument);
    EXPECT_EQ(argument.place.core(), MuxRun::kMux);
    EXPECT_EQ(argument.channel, 2);
    EXPECT_EQ(argument.num_channels, 3);
    EXPECT_EQ(argument.num_buffers, 4);
}

// Words of status, of the router's status and of termination; four words for each of three
// channels; then two buffers of 128 bytes per full-size channel, four of 64 bytes for the other
// channel.
TEST(FabricMuxConfig, LaysOutChannelsBehindTheirWords) {
    using enum FabricMuxChannelType;
    const FabricMuxConfig mux(2, 1, 2, 4, 128, 1024);

    EXPECT_EQ(mux.get_status_address(), 1024U);
    EXPECT_EQ(mux.get_termination_signal_address(), 1024U + 32);
    EXPECT_EQ(mux.get_connection_info_address(FULL_SIZE_CHANNEL, 1), 1024U + 48 + 16);
    EXPECT_EQ(mux.get_flow_control_address(HEADER_ONLY_CHANNEL, 0), 1024U + 48 + 2 * 48 + 32);
    EXPECT_EQ(mux.get_channel_base_address(FULL_SIZE_CHANNEL, 1), 1024U + 48 + 4 * 48 + 256);
    EXPECT_EQ(mux.get_channel_base_address(HEADER_ONLY_CHANNEL, 0), 1024U + 48 + 4 * 48 + 512);
    EXPECT_EQ(mux.get_memory_map_end_address(), 1024U + 48 + 4 * 48 + 512 + 256);
}

}  // namespace
}  // namespace tessera
