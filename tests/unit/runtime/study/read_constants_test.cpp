// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/read_constants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/config/moved_timing.hpp"
#include "runtime/study/launch_key.hpp"
#include "runtime/study/run_timer.hpp"
#include "runtime/study/time_trace.hpp"
#include "tests/small_run.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timed_run {
namespace {

using ::testing::Contains;
using ::testing::Not;
using timing::event;

/// Launch of one kind of work, constants that it reads, and constants that it does not read.
struct KindOfWork {
    const char* name;
    compare::RecordedRun run;
    std::vector<std::string> read;
    std::vector<std::string> unread;
};

/// Returns a hand-made launch on the machine of run_of_reads().
compare::RecordedRun run_of(const timing::TraceBuilder& builder) {
    compare::RecordedRun run = test::run_of_reads(test::kSpread);
    run.machine.mesh.shape = builder.mesh.shape;
    run.trace.mesh.shape = builder.mesh.shape;
    run.trace.names = builder.trace.names;
    run.trace.launches = builder.trace.launches;
    return run;
}

compare::RecordedRun run_of_a_multicast() {
    const MulticastArgument rectangle{{1, 0}, {3, 2}, 0xA000};
    timing::TraceBuilder builder;
    builder.core({0, 0}).writer({event(EventKind::NocMulticast, 0, 8192, rectangle.pack()),
                                 event(EventKind::WriteBarrier)});
    return run_of(builder);
}

compare::RecordedRun run_of_a_mesh_packet() {
    const NocPlace core = NocPlace::worker({0, 0});
    timing::TraceBuilder builder(2);
    builder.core({0, 0}).writer(
        {event(EventKind::FabricOpen),
         event(EventKind::FabricPacket, 0, 4096,
               FabricArgument{.device = 1, .place = core, .hops = 1, .has_add = true}.pack()),
         event(EventKind::FabricAdd, 0, 1, WordArgument{0xA000, core, 1}.pack()),
         event(EventKind::FabricClose)});
    builder.core({0, 0}, {}, 1).reader({event(EventKind::SemaphoreWait, 0, 1, 0xA000)});
    return run_of(builder);
}

compare::RecordedRun run_of_math() {
    timing::TraceBuilder builder;
    builder.core({0, 0}).compute(
        {timing::compute(EventKind::MatmulTiles, 8), event(EventKind::Sfpu, 0, 4, 2),  // exp
         event(EventKind::VectorFunction, 0, 2, 96), timing::compute(EventKind::Pack, 4)});
    return run_of(builder);
}

/// Calls of one kind each in a kernel, without a product.
compare::RecordedRun run_of_calls(const std::vector<EventKind>& kinds) {
    std::vector<TraceEvent> events;
    for (const EventKind kind : kinds) {
        events.push_back(timing::compute(kind, 4));
    }
    timing::TraceBuilder builder;
    builder.core({0, 0}).compute(std::move(events));
    return run_of(builder);
}

compare::RecordedRun run_of_instructions() {
    timing::TraceBuilder builder;
    builder.core({0, 0}).reader({event(EventKind::Instructions, 0, 100)});
    return run_of(builder);
}

/// Calls whose price depends on their details.
compare::RecordedRun run_of_detailed_calls() {
    const auto call = [](EventKind kind, std::uint8_t detail) {
        TraceEvent made = timing::compute(kind, 4);
        made.detail = detail;
        return made;
    };
    timing::TraceBuilder builder;
    builder.core({0, 0}).compute(
        {call(EventKind::EltwiseBinary, EltwiseDetail::kDestReuse | EltwiseDetail::kMultiply),
         call(EventKind::Reduce, ReduceDetail::kScalar),
         call(EventKind::Copy, CopyDetail::kInBlock),
         call(EventKind::Pack, PackDetail::kAccumulates | PackDetail::kDst32)});
    return run_of(builder);
}

compare::RecordedRun run_of_words_and_writes() {
    const NocPlace core = NocPlace::worker({1, 0});
    timing::TraceBuilder builder;
    builder.core({0, 0}).writer(
        {event(EventKind::ZoneBegin), event(EventKind::NocSetState, 0, 2),
         event(EventKind::NocWrite, TransferDetail::kPage, 4, TransferArgument{2048, core}.pack()),
         event(EventKind::WriteBarrier, 0, 1),
         event(EventKind::SemaphoreAdd, 0, 1, WordArgument{0xA000, core, 0}.pack()),
         event(EventKind::LocalWord, 0, 1, 0xA010), event(EventKind::SemaphoreWait, 0, 1, 0xA010),
         event(EventKind::AtomicBarrier, 0, 1), event(EventKind::ZoneEnd)});
    return run_of(builder);
}

compare::RecordedRun run_of_a_division() {
    timing::TraceBuilder builder;
    builder.core({0, 0}).reader(
        {event(EventKind::Instructions, 0, 100, InstructionArgument{.dividend_bits = 32}.pack())});
    return run_of(builder);
}

std::vector<KindOfWork> kinds_of_work() {
    return {
        {"Reads",
         test::run_of_reads(test::kCamping),
         {"noc.hop", "dram.read_latency", "dispatch.kernel_start"},
         {"link.rate", "compute.matmul_phase", "dispatch.write_core", "risc.write_issue",
          "risc.set_state", "risc.semaphore_poll", "risc.cb_reserve"}},
        {"Multicast",
         run_of_a_multicast(),
         {"noc.hop", "noc.multicast_rate"},
         {"dram.read_latency", "link.rate", "compute.matmul_phase"}},
        {"MeshPacket",
         run_of_a_mesh_packet(),
         {"link.rate", "link.worker_issue", "noc.hop"},
         {"compute.matmul_phase", "sfpu.functions.exp"}},
        {"Math",
         run_of_math(),
         {"compute.matmul_phase", "compute.pack_start", "sfpu.functions.exp"},
         {"noc.hop", "dram.read_latency", "link.rate", "sfpu.functions.silu",
          "sfpu.functions.exp_approx", "sfpu.functions.expm1", "sfpu.other"}},
        {"Elementwise",
         run_of_calls({EventKind::EltwiseBinary, EventKind::Copy, EventKind::Pack}),
         {"compute.eltwise_add", "compute.copy_tile", "compute.pack_start"},
         {"compute.matmul_phase", "compute.reduce_scalar", "compute.tilize_tile_16bit",
          "compute.eltwise_phase", "compute.dst_call", "compute.cb_call", "risc.cb_push"}},
        {"Reduce",
         run_of_calls({EventKind::Reduce, EventKind::Transpose, EventKind::Pack}),
         {"compute.reduce_row_phase", "compute.transpose"},
         {"compute.matmul_phase", "compute.untilize_tile"}},
        {"Rows",
         run_of_calls({EventKind::Tilize, EventKind::Untilize, EventKind::PackUntilize}),
         {"compute.tilize_tile_16bit", "compute.untilize_tile", "compute.pack_untilize_tile"},
         {"compute.matmul_phase", "compute.reduce_scalar", "compute.eltwise_phase"}},
        {"Instructions",
         run_of_instructions(),
         {"risc.instruction", "dispatch.launch_latency"},
         {"noc.hop", "dram.read_latency", "link.rate", "compute.matmul_phase",
          "dispatch.stream_rate", "risc.dividend_bit", "risc.cb_push", "risc.zone_mark"}},
        {"Details",
         run_of_detailed_calls(),
         {"compute.eltwise_phase", "compute.copy_tile", "compute.unpack_call",
          "compute.unpack_block_call", "compute.reduce_scalar", "compute.pack_accumulate",
          "compute.pack_dst_32bit"},
         {"compute.eltwise_add", "compute.reduce_row_phase", "compute.transpose",
          "compute.unpack_run"}},
        {"WordsAndWrites",
         run_of_words_and_writes(),
         {"risc.zone_mark", "risc.set_state", "risc.write_issue", "risc.page_address",
          "risc.barrier_poll", "risc.semaphore_issue", "risc.local_word", "risc.semaphore_poll"},
         {"risc.read_issue", "risc.multicast_issue", "risc.cb_wait", "dram.burst"}},
        {"Divisions",
         run_of_a_division(),
         {"risc.dividend_bit", "risc.instruction"},
         {"risc.load", "risc.store", "risc.product"}}};
}

class LaunchKeysOf : public ::testing::TestWithParam<KindOfWork> {};

TEST_P(LaunchKeysOf, HoldTheConstantsThatTheLaunchReads) {
    const compare::RecordedRun& run = GetParam().run;

    const ReadConstants read(run.machine.timing.expected.sfpu, run.trace,
                             run.trace.launches[0].cores);

    for (const std::string& key : GetParam().read) {
        EXPECT_TRUE(read.reads(key)) << key;
    }
    for (const std::string& key : GetParam().unread) {
        EXPECT_FALSE(read.reads(key)) << key;
    }
}

// The table of what a launch reads must not lack a constant: the cache would give old times.
TEST_P(LaunchKeysOf, AreTheSameOnlyForConstantsThatChangeNoTime) {
    const compare::RecordedRun& run = GetParam().run;
    const LaunchTrace& launch = run.trace.launches[0];
    const auto time_under = [&](const TimingSpec& timing) {
        return timing::replay(run.trace, launch, {run.machine.arch, timing, run.machine.mesh},
                              {.keeps = timing::Keep::Totals})
            .makespan;
    };
    const Millicycles stated = time_under(run.machine.timing.expected);
    const timing::PartKey key = LaunchKeys(run.machine, "test").key_of(run.trace, launch);
    std::size_t num_changed = 0;

    for (const config::MovedTiming& moved : config::move_one_at_a_time(run.machine.timing)) {
        TimedMachine machine = run.machine;
        machine.timing.expected = moved.timing;
        const Millicycles time = time_under(moved.timing);
        num_changed += time != stated ? 1 : 0;
        if (LaunchKeys(machine, "test").key_of(run.trace, launch) == key) {
            EXPECT_EQ(time, stated) << moved.key;
        }
    }
    EXPECT_GT(num_changed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LaunchKeysOf, ::testing::ValuesIn(kinds_of_work()),
                         [](const auto& test) { return test.param.name; });

TEST(ReadConstants, OfARunHoldThoseBetweenItsProgramsThatApply) {
    compare::RecordedRun run = test::run_of_reads(test::kSpread);
    LaunchTrace& launch = run.trace.launches.front();
    const auto read = [&] {
        return constants_read(
            run.machine.timing,
            ReadConstants(run.machine.timing.expected.sfpu, run.trace, launch.cores), launch);
    };

    EXPECT_THAT(read(), Contains("dispatch.program_gap"));
    EXPECT_THAT(read(), Not(Contains("dispatch.host_read")));

    launch.dispatch.front().host_reads = 1;
    EXPECT_THAT(read(), Contains("dispatch.host_read"));
}

TEST(ReadConstants, OfAReportAreThoseOfAllItsLaunches) {
    compare::RecordedRun run = test::run_of_reads(test::kSpread);
    run.trace.launches.push_back(run_of_instructions().trace.launches.front());

    std::vector<RunTimer> timers;
    timers.emplace_back("run", run.machine, TimerOptions{});
    const report::TimingReport report = time_trace(run, timers).front();

    EXPECT_THAT(report.constants_read, Contains("dram.read_latency"));
    EXPECT_THAT(report.constants_read, Contains("risc.instruction"));
    EXPECT_THAT(report.constants_read, Not(Contains("link.rate")));
}

}  // namespace
}  // namespace tessera::timed_run
