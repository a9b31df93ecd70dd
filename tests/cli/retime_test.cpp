// SPDX-License-Identifier: Apache-2.0
// tessera retime: a recorded run on the same and on other machines, and its refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "emu/base/trace_file/trace_reader.hpp"
#include "emu/base/trace_file/trace_writer.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kArch = std::string(TESSERA_SOURCE_DIR) + "/configs/arch/";

/// One recording that all tests share.
class Retime : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<ScratchFolder>();
        ASSERT_EQ(run_tessera({"run", "moe_v2_tiny", "--trace", trace()}).exit_code, 0);
    }
    static void TearDownTestSuite() { folder_.reset(); }

    static std::string trace() { return folder_->file("tiny.trace"); }
    static Ending retime(std::vector<std::string> more) {
        more.insert(more.begin(), {"retime", trace()});
        return run_tessera(more);
    }
    static json times(std::vector<std::string> more) {
        more.emplace_back("--json");
        const Ending ending = retime(std::move(more));
        EXPECT_EQ(ending.exit_code, 0) << ending.err;
        return json::parse(ending.out);
    }

    static inline std::unique_ptr<ScratchFolder> folder_;
};

class RetimeThreads : public Retime, public testing::WithParamInterface<const char*> {};

TEST_P(RetimeThreads, GivesTheTimesOfTheRunByteForByte) {
    const std::string report = folder_->file(std::string("report") + GetParam());
    const std::string trace_here = folder_->file(std::string("trace") + GetParam());

    const Ending ending = run_tessera(
        {"run", "moe_v2_tiny", "--threads", GetParam(), "--report", report, "--trace", trace_here});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    json run = json::parse(bytes_of(report + "/report.json"));
    // A trace does not have the least work of launches.
    for (json& launch : run.at("launches")) {
        launch["bound"] = nullptr;
    }
    const std::string retimed = folder_->file(std::string("retimed") + GetParam());
    ASSERT_EQ(retime({"--report", retimed}).exit_code, 0);
    const json again = json::parse(bytes_of(retimed + "/report.json"));
    for (const char* part : {"machine", "makespan", "achieved", "bound_by", "launches"}) {
        EXPECT_TRUE(again.at(part).dump() == run.at(part).dump()) << part << " differs";
    }
    EXPECT_TRUE(bytes_of(trace_here) == bytes_of(trace())) << "the traces differ";
}

INSTANTIATE_TEST_SUITE_P(Host, RetimeThreads, testing::Values("1", "2", "3", "5"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(Retime, TakesADeviceByPathAndByName) {
    const json shipped = times({});

    EXPECT_TRUE(times({"--arch", kArch + "wormhole_n150.yaml"}) == shipped);
    EXPECT_TRUE(times({"--arch", "wormhole_n150"}) == shipped);
}

TEST_F(Retime, TakesKeysWithAndWithoutTheirPrefixes) {
    const json longest = times({"--set", "arch.timing.noc.link_rate=8 B/cycle"});

    EXPECT_EQ(times({"--set", "timing.noc.link_rate=8 B/cycle"}).at("makespan"),
              longest.at("makespan"));
    EXPECT_EQ(times({"--set", "noc.link_rate=8 B/cycle"}).at("makespan"), longest.at("makespan"));
    EXPECT_GT(longest.at("makespan").at("expected"), times({}).at("makespan").at("expected"));
}

TEST_F(Retime, AtHalfTheClockWaitsAsManyCyclesForEachHop) {
    const json slow = times({"--set", "clock=0.5 GHz"});

    EXPECT_EQ(slow.at("machine").at("clock_hz"), 500'000'000.0);
    // prepare_routing stays on the device: all its constants are in cycles.
    EXPECT_EQ(slow.at("launches")[0].at("makespan"), times({}).at("launches")[0].at("makespan"));
    // all_reduce crosses links, whose rates and latencies are in seconds.
    EXPECT_LT(slow.at("launches")[10].at("makespan").at("expected"),
              times({}).at("launches")[10].at("makespan").at("expected"));
}

TEST_F(Retime, SaysWhatWasTimedOnWhatAndHowSure) {
    const Ending ending = retime({"--set", "noc.hop=12 cycles"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, StartsWith(trace() + ", recorded on 1 × 2 wormhole_n150, timed on "
                                                 "wormhole_n150 with noc.hop=12 cycles\n\n"));
    EXPECT_THAT(ending.out, ContainsRegex("\n  makespan +[0-9 ]+ cycles, [0-9.]+ us at 1.00 GHz; "
                                          "[0-9 ]+ to [0-9 ]+ in nine of ten draws"));
    EXPECT_THAT(ending.out, ContainsRegex("\n  assumed +[^\n]*; see tessera advise\n"));
}

TEST_F(Retime, WritesAReportWithTheSetsAsOrigins) {
    const std::string report = folder_->file("moved");

    const Ending ending = retime({"--set", "noc.hop=12 cycles", "--report", report});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    const json written = json::parse(bytes_of(report + "/report.json"));
    EXPECT_EQ(written.at("makespan"), times({"--set", "noc.hop=12 cycles"}).at("makespan"));
    EXPECT_GT(written.at("assumed").size(), 3U);
    EXPECT_THAT(written.at("config").dump(), HasSubstr("--set noc.hop=12 cycles"));
    EXPECT_THAT(bytes_of(report + "/report.html"), HasSubstr("tiny"));
    EXPECT_THAT(bytes_of(report + "/trace.perfetto.json"), HasSubstr("traceEvents"));
}

TEST_F(Retime, MovesEachConstantForAReportIfAsked) {
    EXPECT_TRUE(times({}).at("constants").empty());

    const json constants = times({"--each-constant"}).at("constants");

    ASSERT_GT(constants.size(), 20U);
    const auto size = [](const json& effect) {
        return std::max(std::abs(effect["at_low"].get<double>()),
                        std::abs(effect["at_high"].get<double>()));
    };
    EXPECT_GT(size(constants.front()), 0);
    EXPECT_GE(size(constants[0]), size(constants[1]));
}

TEST_F(Retime, DrawsTheFocusAloneAndAllOfIt) {
    const json report = times({"--focus", "step=gate", "device=1", "core=0,0"});

    EXPECT_EQ(report["focus"]["step"], "gate");
    std::size_t drawn = 0;
    for (const json& launch : report["launches"]) {
        for (const json& thread : launch["threads"]["rows"]) {
            const std::size_t points = thread["points"].size() / 5;
            EXPECT_TRUE(points == 0 || points == thread["intervals"]) << thread["kernel"];
            drawn += points == 0 ? 0 : 1;
        }
    }
    EXPECT_EQ(drawn, 5U);  // reader, writer, unpack, math, pack
}

TEST_F(Retime, RefusesADeviceWithoutWhatTheTraceUses) {
    const Ending ending = retime({"--arch", "blackhole_p150"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err, "tessera: " + trace() +
                              ": was recorded on wormhole_n150 and does not fit blackhole_p150: "
                              "trace: there is no DRAM bank 8, blackhole_p150 has 8\n");
}

TEST_F(Retime, RefusesATraceOfADeviceThatDoesNotShip) {
    const std::string arch = folder_->file("mine.yaml");
    std::string text = bytes_of(kArch + "wormhole_n150.yaml");
    text.replace(text.find("name: wormhole_n150"), 19, "name: mine");
    std::filesystem::create_directories(folder_->path() / "arch");
    std::filesystem::create_directories(folder_->path() / "runs");
    (void)folder_->write("arch/mine.yaml", text);
    const std::string run =
        folder_->write("runs/one.yaml",
                       "mesh: {device: mine, shape: [1, 1]}\n"
                       "tensors:\n  input: {shape: [32, 64], dtype: bfloat16, layout: tile}\n"
                       "steps:\n  - {name: copy, op: copy, in: [input], out: [output]}\n");
    const std::string other = folder_->file("mine.trace");
    const Ending recorded = run_tessera({"run", run, "--trace", other});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;

    const Ending ending = run_tessera({"retime", other});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: " + other +
                  ": was recorded on mine, which is not a shipped device model, allowed: "
                  "blackhole_p150, wormhole_n150\n");
    EXPECT_EQ(run_tessera({"retime", other, "--arch", folder_->file("arch/mine.yaml")}).exit_code,
              0);
}

TEST_F(Retime, NamesTheFileThatIsNoTrace) {
    std::string newer = bytes_of(trace());
    newer[8] = 9;
    std::string cut = bytes_of(trace());
    cut.resize(cut.size() / 2);
    std::string changed = bytes_of(trace());
    changed[60] = static_cast<char>(changed[60] ^ 1);
    const auto error_of = [](const std::string& path) {
        const Ending ending = run_tessera({"retime", path});
        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.out, "");
        return ending.err;
    };
    const std::string path = folder_->write("other", "{}");

    EXPECT_EQ(error_of(path), "tessera: " + path + ": is not a trace of tessera run --trace\n");
    EXPECT_EQ(error_of("/nowhere/x.trace"),
              "tessera: /nowhere/x.trace: cannot open: No such file or directory\n");
    EXPECT_EQ(error_of("/tmp"), "tessera: /tmp: is a folder, allowed: a regular file\n");
    EXPECT_THAT(error_of(folder_->write("newer", newer)),
                HasSubstr("newer: is a trace of version 9, written by a newer Tessera; this one "
                          "reads version "));
    EXPECT_THAT(error_of(folder_->write("cut", cut)),
                HasSubstr("cut: is cut off after " + std::to_string(cut.size()) + " bytes"));
    EXPECT_EQ(error_of(folder_->write("changed", changed)),
              "tessera: " + folder_->file("changed") +
                  ": section 1 at byte 16: is corrupt: its checksum does not hold\n");
}

// The checksums are valid, but its kernels wait for each other forever.
TEST_F(Retime, RefusesATraceThatNoRunWrote) {
    Trace forged = read_trace(trace());
    for (ThreadTrace& thread : forged.launches[1].cores[0].threads) {
        if (thread.processor == Processor::Riscv1) {
            thread.events.clear();
        }
    }
    const std::string file = folder_->file("forged");
    write_trace(file, forged);

    const Ending retime = run_tessera({"retime", file});
    const Ending advise = run_tessera({"advise", file});
    const Ending compare = run_tessera({"compare", file, trace()});

    EXPECT_THAT(retime.err, StartsWith("tessera: " + file + ": section 4 at byte "));
    EXPECT_THAT(advise.err, StartsWith("tessera: " + file + ": is corrupt: "));
    EXPECT_THAT(compare.err, StartsWith("tessera: " + file + ": is corrupt: "));
    for (const Ending& ending : {retime, advise, compare}) {
        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_THAT(ending.err, HasSubstr(": is corrupt: the trace of launch 'scatter' cannot be "
                                          "replayed, "));
        EXPECT_THAT(ending.err, Not(HasSubstr("please report")));
    }
}

// The L1 of the device has 1464 KiB.
TEST_F(Retime, RefusesATransferThatNoL1Holds) {
    Trace forged = read_trace(trace());
    for (ThreadTrace& thread : forged.launches[0].cores[0].threads) {
        for (TraceEvent& event : thread.events) {
            event.argument |= event.kind == EventKind::NocRead ? 0xFFFFFFFF : 0;
        }
    }
    const std::string file = folder_->file("forged");
    write_trace(file, forged);

    for (const char* command : {"retime", "advise"}) {
        const Ending ending = run_tessera({command, file});

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_THAT(ending.err, HasSubstr(": is corrupt: it has a transfer of 4294967295 bytes; "
                                          "the L1 of "));
    }
}

struct Case {
    const char* name;
    std::vector<std::string> options;
    const char* message;
};

class RetimeErrors : public Retime, public testing::WithParamInterface<Case> {};

TEST_P(RetimeErrors, NameWhatIsWrong) {
    const Ending ending = retime(GetParam().options);

    EXPECT_EQ(ending.exit_code, 2);
    const bool has_json =
        std::ranges::find(GetParam().options, "--json") != GetParam().options.end();
    EXPECT_EQ(ending.out.empty(), !has_json) << ending.out;
    EXPECT_EQ(ending.err, std::string(GetParam().message) + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Options, RetimeErrors,
    testing::Values(
        Case{"UnknownKey",
             {"--set", "timing.noc.link_rat=3 B/cycle"},
             "--set timing.noc.link_rat=3 B/cycle: timing.noc.link_rat: unknown key, did you mean "
             "timing.noc.link_rate?"},
        Case{"UnknownKeyOfTimingAlone",
             {"--set", "link.rte=3 GB/s"},
             "--set link.rte=3 GB/s: timing.link.rte: unknown key, did you mean timing.link.rate?"},
        Case{"UnknownKeyOfTimingInASectionOfBoth",
             {"--set", "noc.hopp=9 cycles"},
             "--set noc.hopp=9 cycles: timing.noc.hopp: unknown key, did you mean timing.noc.hop?"},
        Case{"UnknownKeyOfTheDeviceInASectionOfBoth",
             {"--set", "noc.gird=9"},
             "--set noc.gird=9: noc.gird: unknown key, did you mean noc.grid?"},
        Case{"NoUnit",
             {"--set", "noc.link_rate=16"},
             "--set noc.link_rate=16: timing.noc.link_rate: '16' has no unit, allowed: B/cycle"},
        Case{"KeyOfARun",
             {"--set", "params.tokens=3"},
             "--set params.tokens=3: params: unknown key, allowed: timing, extends, name, "
             "architecture, clock, workers, l1, dram, noc, dst"},
        Case{"NoSet", {"--set", "noc.hop"}, "--set noc.hop: expected key.path=value"},
        Case{"UnknownDevice",
             {"--arch", "wormhole"},
             "tessera: --arch wormhole: no such file or shipped device model; nearest: "
             "wormhole_n150, shipped: blackhole_p150, wormhole_n150"},
        Case{"ReportIntoAFile",
             {"--report", "/dev/null"},
             "tessera: --report /dev/null: is a file, allowed: a folder"},
        Case{"FocusWithoutReport",
             {"--focus", "device=1"},
             "tessera: --focus is drawn in a report, add --report"},
        Case{"FocusOnNoDevice",
             {"--json", "--focus", "device=99"},
             "tessera: --focus device=99: allowed: 0 to 1"},
        Case{"FocusOnNoCore",
             {"--json", "--focus", "core=9,0"},
             "tessera: --focus core=9,0: the grid has 8 × 8 cores, from 0,0 on"},
        Case{"ReportWithoutName", {"--report", ""}, "tessera: --report: the name is empty"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(Retime, RefusesARunConfigurationAsADevice) {
    const Ending ending =
        retime({"--arch", std::string(TESSERA_SOURCE_DIR) + "/configs/runs/matmul_640.yaml"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("matmul_640.yaml:4:1: mesh: unknown key, allowed: "));
    EXPECT_THAT(ending.err, HasSubstr("matmul_640.yaml:4:1: timing: required key is missing\n"));
}

}  // namespace
}  // namespace tessera::test
