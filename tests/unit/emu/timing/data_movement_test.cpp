// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/fixed_transport.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;

TEST(DataMovement, ABarrierWaitsForTheLastRead) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({read(1024, 3), event(ReadBarrier)});

    const LaunchTimeline timeline = builder.run();

    // Issued at 25, 50, 75; the last arrives at 275; the poll takes 10.
    EXPECT_EQ(timeline.makespan, 75 * kCycle + fixed::kRead + 10 * kCycle);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::ReadIssue), 75);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::WaitNocRead), 200);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::BarrierPoll), 10);
    const Interval& wait = timeline.threads[0].intervals.at(1);
    EXPECT_EQ(wait.object, NocPlace::dram(3).bits);
    const WaitCause& cause = timeline.causes.at(wait.cause);
    EXPECT_EQ(cause.thread, 0U);
    EXPECT_EQ(cause.time, 75 * kCycle);
    EXPECT_EQ(cause.transit[static_cast<std::size_t>(ResourceKind::NocLatency)], 200'000U);
}

TEST(DataMovement, APageTakesItsAddressBeforeItsIssue) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({read(1024, 3, TransferDetail::kPage)});

    EXPECT_EQ(cycles_of(builder.run(), 0, Activity::ReadIssue), 3 * (14 + 25));
}

TEST(DataMovement, ABarrierThatFindsAllDoneOnlyPolls) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({read(32), event(NocSetState, 0, 20), event(ReadBarrier, 0, 2)});

    const LaunchTimeline timeline = builder.run();

    // 25 + 20 × 18, long after the read has arrived; two polls.
    EXPECT_EQ(timeline.makespan, (25 + 360 + 20) * kCycle);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::WaitNocRead), 0);
}

TEST(DataMovement, IssueCostsGoByCall) {
    TraceBuilder builder;
    const auto stateful = TransferDetail::kWithState;
    builder.core({0, 0}).reader(
        {read(32), read(32, 1, stateful), write(32), write(32, 1, stateful), event(NocSetState)});

    EXPECT_EQ(builder.run().makespan, (25 + 15 + 20 + 12 + 18) * kCycle);
}

TEST(DataMovement, AReadOfDramIsIssuedAtAPriceOfItsOwn) {
    TraceBuilder builder;
    builder.timing.risc.read_issue_dram = Cycles{22};
    const TransferArgument of_l1{32, NocPlace::worker({1, 0}), 0};
    builder.core({0, 0}).reader({read(32), event(NocRead, 0, 1, of_l1.pack())});
    builder.core({1, 0});

    EXPECT_EQ(cycles_of(builder.run(), 0, Activity::ReadIssue), 22 + 25);
}

TEST(DataMovement, APacketIsIssuedAtATime) {
    TraceBuilder builder;
    // Packets of 8192 B: one more byte takes 2 packets.
    builder.core({0, 0}).reader({read(8193)});

    EXPECT_EQ(builder.run().makespan, 50 * kCycle);
}

TEST(DataMovement, AFlushWaitsForTheSourceAndABarrierForTheAcknowledgement) {
    TraceBuilder flush;
    flush.core({0, 0}).writer({write(64), event(WriteFlush)});
    TraceBuilder barrier;
    barrier.core({0, 0}).writer({write(64), event(WriteBarrier)});

    EXPECT_EQ(flush.run().makespan, 20 * kCycle + fixed::kDeparted + 10 * kCycle);
    EXPECT_EQ(barrier.run().makespan, 20 * kCycle + fixed::kAcknowledged + 10 * kCycle);
}

TEST(DataMovement, ABarrierDoesNotWaitForPostedWrites) {
    TraceBuilder builder;
    builder.core({0, 0}).writer({write(64, 1, TransferDetail::kPosted), event(WriteBarrier)});

    EXPECT_EQ(builder.run().makespan, (20 + 10) * kCycle);
}

TEST(DataMovement, ABarrierWithAnIdWaitsForItsOwnReads) {
    TraceBuilder builder;
    const auto with_id = [](std::uint8_t id) {
        return event(NocRead, TransferDetail::kHasId, 1,
                     TransferArgument{64, NocPlace::dram(0), id}.pack());
    };
    const std::uint8_t first = BarrierDetail::kHasId | 1U << 2U;
    builder.core({0, 0}).reader({with_id(1), with_id(2), event(ReadBarrier, first)});

    // The read with id 1 was issued at 25.
    EXPECT_EQ(builder.run().makespan, 25 * kCycle + fixed::kRead + 10 * kCycle);
}

TEST(DataMovement, ABarrierWaitsForItsOwnNoc) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({read(64, 1, TransferDetail::kNoc), event(ReadBarrier)});

    EXPECT_EQ(builder.run().makespan, (25 + 10) * kCycle);
}

TEST(DataMovement, ReadsBeyondTheInterfaceWaitForOneToComeBack) {
    TraceBuilder builder;
    builder.timing.noc.outstanding_reads = 2;
    builder.core({0, 0}).reader({read(64, 3)});

    const LaunchTimeline timeline = builder.run();

    // Two are issued by 50. The third command is written by 75 and issued when the first read
    // returns.
    EXPECT_EQ(timeline.makespan, 25 * kCycle + fixed::kRead);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::WaitNocSlot), 225 - 75);
    const WaitCause& cause = timeline.causes.at(timeline.threads[0].intervals.at(1).cause);
    EXPECT_EQ(cause.time, 25 * kCycle);
}

TEST(DataMovement, WritesAndAtomicsBeyondTheInterfaceWaitForAnAcknowledgement) {
    const TraceEvent add =
        event(SemaphoreAdd, 0, 1, WordArgument{64, NocPlace::worker({1, 0}), 0}.pack());
    for (const TraceEvent& first : {write(64), add}) {
        TraceBuilder builder;
        builder.timing.noc.outstanding_writes = 1;
        builder.core({0, 0}).writer({first, add});

        // Issued at 20 (an atomic: 22), acknowledged 150 cycles later; the second is ready 22
        // cycles after.
        EXPECT_EQ(cycles_of(builder.run(), 0, Activity::WaitNocSlot), 150 - 22);
    }
}

TEST(DataMovement, PostedWritesDoNotWaitForAcknowledgements) {
    TraceBuilder builder;
    builder.timing.noc.outstanding_writes = 1;
    builder.core({0, 0}).writer({write(64), write(64, 1, TransferDetail::kPosted)});

    EXPECT_EQ(cycles_of(builder.run(), 0, Activity::WaitNocSlot), 0);
}

TEST(DataMovement, WritesQueueUpToADepth) {
    TraceBuilder builder;
    builder.timing.noc.queued_writes = 1;
    builder.core({0, 0}).writer({write(64, 2)});

    // The second is ready at 40; the first has left at 20 + 30.
    EXPECT_EQ(builder.run().makespan, 20 * kCycle + fixed::kDeparted);
}

TEST(DataMovement, ARiscIsHeldUntilThereIsAPlaceForTheCommandOfItsLastPacket) {
    // Two packets of 8192 B, whose commands are written at 20 and 40; both have left at 20 + 30.
    const auto held = [](std::uint32_t queued_writes) {
        TraceBuilder builder;
        builder.timing.noc.queued_writes = queued_writes;
        builder.core({0, 0}).writer({write(2 * 8192)});
        return cycles_of(builder.run(), 0, Activity::WaitNocSlot);
    };

    EXPECT_EQ(held(2), 0);
    EXPECT_EQ(held(1), 10);
}

TEST(DataMovement, AReadWaitsUntilTheInterfaceTakesIt) {
    TraceBuilder builder;
    builder.core({0, 0}).writer(
        {write(64, 1, TransferDetail::kNoc), read(64, 1, TransferDetail::kNoc)});

    const LaunchTimeline timeline = builder.run();

    // Its command is ready at 45; the write of 20 has left at 50.
    EXPECT_EQ(cycles_of(timeline, 0, Activity::WaitNocSlot), 5);
    EXPECT_EQ(timeline.makespan, 20 * kCycle + fixed::kDeparted);
}

TEST(DataMovement, NamesWhatTheMachineHasNot) {
    TraceBuilder bank;
    bank.core({0, 0}).reader(
        {event(NocRead, 0, 1, TransferArgument{64, NocPlace::dram(12), 0}.pack())});
    EXPECT_THROW((void)bank.run(), UsageError);

    TraceBuilder core;
    core.core({2, 0}).reader({});
    EXPECT_THROW((void)core.run(), UsageError);

    TraceBuilder kind;
    kind.core({0, 0}).reader({event(Pack)});
    EXPECT_THROW((void)kind.run(), UsageError);
}

TEST(Launch, CostsLatencyFirmwareAndItsEnd) {
    TraceBuilder builder;
    builder.timing.dispatch.launch_latency = Cycles{400};
    builder.timing.dispatch.kernel_start = Cycles{300};
    builder.timing.dispatch.cb_setup = Cycles{18.6};
    builder.timing.dispatch.kernel_end = Cycles{100};
    builder.core({0, 0}, {2, 2}).reader({event(NocSetState)});
    const std::vector<Millicycles> starts{1000 * kCycle};

    const LaunchTimeline timeline = builder.run({.device_start = starts});

    EXPECT_EQ(cycles_of(timeline, 0, Activity::NotStarted), 1400);
    EXPECT_DOUBLE_EQ(cycles_of(timeline, 0, Activity::Start), 300 + 2 * 18.6 + 100);
    EXPECT_DOUBLE_EQ(makespan_cycles(timeline), 1400 + 300 + 37.2 + 18 + 100);
    EXPECT_EQ(timeline.device_end.at(0), timeline.makespan);
}

TEST(Launch, DataMovementWaitsForTheCopyOfRisc1sKernelAndComputeDoesNot) {
    const auto start_of = [](std::vector<TraceEvent> reader, std::size_t thread) {
        TraceBuilder builder;
        builder.timing.dispatch.kernel_start = Cycles{300};
        builder.timing.dispatch.kernel_copy = Cycles{350};
        builder.core({0, 0})
            .reader(std::move(reader))
            .writer({event(NocSetState)})
            .compute({event(DstAcquire)});
        return cycles_of(builder.run(), thread, Activity::Start);
    };

    EXPECT_EQ(start_of({event(NocSetState)}, 0), 650);
    EXPECT_EQ(start_of({event(NocSetState)}, 1), 650);
    EXPECT_EQ(start_of({event(NocSetState)}, 2), 300);
    EXPECT_EQ(start_of({}, 1), 300);
}

}  // namespace
}  // namespace tessera::timing
