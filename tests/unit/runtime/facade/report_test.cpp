// SPDX-License-Identifier: Apache-2.0
// A run from its session to its report, through public headers only.
#include "tessera/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tessera/tessera.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kPushAndPop = R"(
    void kernel_main() {
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
    })";

Trace recorded_run(const Machine& machine) {
    const auto session = open_session(machine, {.threads = 1, .trace = TraceMode::On});
    Program program = CreateProgram();
    const CoreCoord core{0, 0};
    CircularBufferConfig buffer(2048, {{0, DataFormat::Float16_b}});
    CreateCircularBuffer(program, core, buffer.set_page_size(0, 2048));
    CreateKernelFromString(program, kPushAndPop, core, ReaderDataMovementConfig(), "push.cpp");
    const DeviceProgram launched{0, program};
    session->launch("push", {&launched, 1});
    return session->trace();
}

class ReportTest : public testing::Test {
protected:
    const ScratchFolder folder_;
    const Machine machine_{"wormhole_n150"};
    const Trace trace_ = recorded_run(machine_);
};

TEST_F(ReportTest, ExpectsTheMakespanOfTheReplay) {
    const Report report(trace_, machine_, "push");

    EXPECT_EQ(report.makespan().expected, replay(trace_, machine_).makespan);
    EXPECT_LE(report.makespan().low, report.makespan().expected);
    EXPECT_GE(report.makespan().high, report.makespan().expected);
}

TEST_F(ReportTest, TellsOfTheSameTraceThatWasSaved) {
    const std::string file = folder_.file("push.trace");
    write_trace(file, trace_);

    EXPECT_EQ(Report(read_trace(file), machine_, "push").json(),
              Report(trace_, machine_, "push").json());
}

TEST_F(ReportTest, HoldsTheTextOfKernelFiles) {
    const std::string file = folder_.write("push_file.cpp", kPushAndPop);
    const auto session = open_session(machine_, {.threads = 1, .trace = TraceMode::On});
    Program program = CreateProgram();
    const CoreCoord core{0, 0};
    CircularBufferConfig buffer(2048, {{0, DataFormat::Float16_b}});
    CreateCircularBuffer(program, core, buffer.set_page_size(0, 2048));
    CreateKernel(program, file, core, ReaderDataMovementConfig());
    const DeviceProgram launched{0, program};
    session->launch("push", {&launched, 1});

    const std::string json = Report(session->trace(), machine_, "push").json();

    EXPECT_THAT(json, HasSubstr("\"" + file + "\":\"\\n    void kernel_main() {"));
}

TEST_F(ReportTest, CountsTheConstantsOfTheMachineItIsGiven) {
    // One push of the reader, which no other work hides.
    const Machine slower("wormhole_n150", {.sets = {"risc.cb_push=1020 cycles"}});
    const Machine faster("wormhole_n150", {.sets = {"risc.cb_push=20 cycles"}});

    EXPECT_EQ(replay(trace_, slower).makespan - replay(trace_, faster).makespan,
              1000 * kMillicyclesPerCycle);
}

TEST_F(ReportTest, PrintsTheMakespanAndWritesItsFiles) {
    const Report report(trace_, machine_, "push");

    report.write(folder_.file("report"));

    EXPECT_THAT(report.text(), AllOf(HasSubstr("makespan"), HasSubstr("push")));
    for (const char* file : {"report.html", "report.json", "trace.perfetto.json"}) {
        EXPECT_TRUE(std::filesystem::is_regular_file(folder_.path() / "report" / file)) << file;
    }
}

TEST_F(ReportTest, RefusesTheTraceOfAnotherMesh) {
    const Machine pair("wormhole_n150", {.shape = {1, 2}});

    EXPECT_THAT([&] { Report(trace_, pair, "push"); },
                testing::ThrowsMessage<UsageError>(
                    "trace: recorded on 1 × 1 devices, the machine has 1 × 2"));
}

}  // namespace
}  // namespace tessera
