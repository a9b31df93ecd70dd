// SPDX-License-Identifier: Apache-2.0
// `tessera run` on generated layers: output, files and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "emu/base/tensor_file/safetensors.hpp"
#include "emu/base/trace_file/trace_reader.hpp"
#include "runtime/report/text_style.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

Ending run_tiny(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run", "moe_v2_tiny"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tessera(arguments);
}

std::string last_line(const std::string& text) {
    const auto end = text.find_last_not_of('\n');
    return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

TEST(CliRun, EndsWithPass) {
    const Ending ending = run_tiny();

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_EQ(ending.err, "");
    EXPECT_THAT(last_line(ending.out), StartsWith("PASS 11 of 11 steps checked, PCC ≥ 0.9999"));
}

// 0.3 is 0.30078125 in bfloat16: 1 % more than the reference is neither rounding nor seen elsewhere.
TEST(CliRun, DoubtsAConstantResultThatOneNumberCouldExplain) {
    const auto doubled = [](const std::string& factor) {
        return run_tessera({"run", std::string(TESSERA_SOURCE_DIR) + "/examples/double/double.yaml",
                            "--no-timing", "--set", "tensors.x.origin={constant: 0.3}", "--set",
                            "steps.double.reference=" + factor + " * x"})
            .out;
    };

    EXPECT_THAT(doubled("2.02"), HasSubstr("  double: the reference is constant, and the results "
                                           "are 0.9901 times it; values that vary show whether "
                                           "that is rounding\nPASS "));
    EXPECT_THAT(doubled("2"), Not(HasSubstr("is constant")));
}

TEST(CliRun, ShowsStepsCoresAndMaps) {
    const std::string out = run_tiny({"--full"}).out;

    EXPECT_THAT(out, StartsWith("moe_v2_tiny: tokens 40, hidden 80, intermediate 96, experts 8, "
                                "slots 4, top_k 3, activation separate\n"
                                "1 × 2 devices wormhole_n150, 8 × 8 cores each; "));
    EXPECT_THAT(out, ContainsRegex("\n  prepare_routing +prepare_moe_routing_tensors +multi_core"
                                   " +[0-9]+ +[0-9]+ +1 +0 +[0-9 ]+ +[0-9.]+ [um]?s +ok\n"));
    EXPECT_THAT(out, ContainsRegex("\n  gate +moe_bmm +multi_core, block +[0-9]+ +[0-9]+ "));
    EXPECT_THAT(out, ContainsRegex("\n  bytes read +[0-9.]+ .?i?B "));
    EXPECT_THAT(out, ContainsRegex("\n  device 0 +device 1\n +x0  x1  x2  x3  x4  x5  x6  x7 "));
    EXPECT_THAT(out, Not(HasSubstr("\033")));
}

TEST(CliRun, PrintsTheParametersOfStepsIfAskedForAll) {
    EXPECT_THAT(run_tiny({"--full"}).out,
                ContainsRegex("\n  gate +schedule auto, distribution block, [^\n]*k_block 4, "
                              "[^\n]*subblock \\[1, 4\\], cb_depth 2, "));
}

TEST(CliRun, PrintsOneScreenIfNotAskedForMore) {
    const std::string out = run_tiny().out;

    EXPECT_LE(std::ranges::count(out, '\n'), 40);
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(report::columns_of(line), 100U) << line;
    }
    EXPECT_THAT(out, ContainsRegex("\n  gate +[0-9]+ +[0-9 ]+ +[0-9]+ % +[0-9.]+ +ok +[A-Z]"));
    EXPECT_THAT(out, ContainsRegex("\n  bound by +[^\n]*%"));
    EXPECT_THAT(out, HasSubstr("\n  Steps overlap, so that "));
    EXPECT_THAT(out, ContainsRegex("\n  not shown: [^\n]*; --full prints all\n"));
}

TEST(CliRun, IsQuietIfAsked) {
    EXPECT_THAT(run_tiny({"--quiet"}).out, MatchesRegex("PASS [^\n]*\n"));
}

TEST(CliRun, TellsWhereTheHostsTimeWentIfAsked) {
    const std::string out = run_tiny({"--quiet", "--profile-host"}).out;

    for (const char* line : {"load", "tensors made and moved", "kernels", "  moe_bmm", "verify",
                             "timing", "report", "tile maths", "copies", "switches", "idle"}) {
        EXPECT_THAT(out, ContainsRegex(std::string("\n  ") + line + " +[0-9]+[.][0-9]+ +[0-9]+ %"));
    }
}

TEST(CliRun, FailsWithExitCodeOneAndSaysWhat) {
    const Ending ending = run_tiny({"--set", "verify.max_relative_error=0.001"});

    EXPECT_EQ(ending.exit_code, 1);
    EXPECT_THAT(ending.out, HasSubstr("\n  gate: largest relative error 0.00"));
    EXPECT_EQ(last_line(ending.out),
              "FAIL 7 of 11 steps checked: gate, up, silu, mul, down, local_reduce, all_reduce");
}

TEST(CliRun, ChecksTheResultOnlyIfAsked) {
    const Ending ending = run_tiny({"--set", "verify.level=final_only", "--full"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, ContainsRegex("\n  down [^\n]* not checked\n"));
    EXPECT_THAT(ending.out, ContainsRegex("\n  all_reduce [^\n]* ok\n"));
    EXPECT_THAT(last_line(ending.out), StartsWith("PASS 1 of 11 steps checked, "));
}

TEST(CliRun, DoesNotPassWhatItDoesNotCheck) {
    const Ending ending = run_tiny({"--set", "verify.level=off"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(last_line(ending.out), MatchesRegex("DONE 11 steps in .*, none checked .*"));
}

TEST(CliRunJson, HoldsTheWholeReport) {
    const auto json = nlohmann::json::parse(run_tiny({"--json"}).out);

    EXPECT_EQ(json.at("schema"), "tessera.run");
    EXPECT_EQ(json.at("verdict"), "pass");
    EXPECT_EQ(json.at("steps").size(), 11U);
    EXPECT_EQ(json.at("cores").at("each").size(), 2U * 64);
    EXPECT_EQ(json.at("workload").at("tokens"), 40);
    EXPECT_GT(json.at("host").at("total_s"), 0);
}

TEST(CliRunJson, SaysWhatFailed) {
    const Ending ending = run_tiny({"--json", "--set", "verify.max_relative_error=0.0036"});

    EXPECT_EQ(ending.exit_code, 1);
    const auto json = nlohmann::json::parse(ending.out);
    EXPECT_EQ(json.at("verdict"), "fail");
    EXPECT_THAT(json.at("failed").dump(), HasSubstr("\"gate\""));
}

struct Variant {
    const char* name;
    std::vector<std::string> sets;
};

class CliRunVariant : public testing::TestWithParam<Variant> {};

TEST_P(CliRunVariant, Passes) {
    std::vector<std::string> arguments{"--quiet"};
    for (const std::string& set : GetParam().sets) {
        arguments.insert(arguments.end(), {"--set", set});
    }

    const Ending ending = run_tiny(arguments);

    EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
    EXPECT_THAT(ending.out, StartsWith("PASS "));
}

INSTANTIATE_TEST_SUITE_P(
    Tiny, CliRunVariant,
    testing::Values(Variant{"FourDevices", {"mesh.shape=[1,4]"}},
                    Variant{"OneDevice", {"mesh.shape=[1,1]"}},
                    Variant{"LineOfRowsAndColumns", {"mesh.shape=[2,4]", "mesh.topology=line"}},
                    Variant{"Blackhole", {"mesh.device=blackhole_p150"}},
                    Variant{"SingleCore", {"set.moe_bmm.schedule=single_core"}},
                    Variant{"RoundRobin",
                            {"set.moe_bmm.distribution=round_robin", "set.moe_bmm.grid=[3,2]"}},
                    Variant{"Subblocks", {"set.moe_bmm.subblock=[2,2]", "set.moe_bmm.k_block=3"}},
                    Variant{"FusedActivation", {"params.activation=fused"}},
                    Variant{"TruncatedSums", {"steps.local_reduce.set.accumulator=bf16_truncate"}},
                    Variant{"Bf16Links", {"steps.all_reduce.set.partial_sums=bf16"}},
                    Variant{"OneHotExpert", {"tensors.selected_experts.origin.kind=one_expert"}},
                    Variant{"OneToken", {"params.tokens=1", "params.top_k=1"}},
                    Variant{"SigmoidPermuted",
                            {"tensors.routing_weights.origin.weights=sigmoid",
                             "tensors.device_expert_mapping.origin.kind=permuted"}}),
    [](const auto& test) { return std::string(test.param.name); });

std::string outputs_of(const ScratchFolder& folder, std::vector<std::string> more) {
    const std::string file = folder.file("out.safetensors");
    more.insert(more.end(), {"--quiet", "--outputs", file});
    EXPECT_EQ(run_tiny(more).exit_code, 0);
    return bytes_of(file);
}

std::string trace_of(const ScratchFolder& folder, std::vector<std::string> more) {
    const std::string file = folder.file("run.trace");
    more.insert(more.end(), {"--quiet", "--trace", file});
    EXPECT_EQ(run_tiny(more).exit_code, 0);
    return bytes_of(file);
}

TEST(CliTrace, IsTheSameBytesForAnyThreadsAndDelivery) {
    const ScratchFolder folder;
    const std::string one = trace_of(folder, {"--threads", "1"});

    EXPECT_TRUE(one.starts_with("TESSTRC\n"));
    EXPECT_TRUE(one == trace_of(folder, {"--threads", "2"}));
    EXPECT_TRUE(one == trace_of(folder, {"--threads", "5"}));
    EXPECT_TRUE(one == trace_of(folder, {"--set", "machine.noc_delivery=random"}));
}

TEST(CliTrace, HoldsTheLaunchOfEachStep) {
    const ScratchFolder folder;
    static_cast<void>(trace_of(folder, {}));

    const Trace trace = read_trace(folder.file("run.trace"));

    std::vector<std::string> steps;
    for (const LaunchTrace& launch : trace.launches) {
        steps.push_back(launch.name);
        EXPECT_GT(num_events(launch), 0U) << launch.name;
    }
    EXPECT_THAT(steps,
                testing::ElementsAre("prepare_routing", "scatter", "to_tile", "gate", "up", "silu",
                                     "mul", "down", "to_row_major", "local_reduce", "all_reduce"));
    EXPECT_EQ(trace.arch, "wormhole_n150");
}

TEST(CliOutputs, AreTheSameBytesForAnyThreadsAndDelivery) {
    const ScratchFolder folder;
    const std::string one = outputs_of(folder, {"--threads", "1"});

    EXPECT_TRUE(one == outputs_of(folder, {"--threads", "2"}));
    EXPECT_TRUE(one == outputs_of(folder, {"--threads", "5"}));
    EXPECT_TRUE(one == outputs_of(folder, {"--set", "machine.noc_delivery=at_issue"}));
    EXPECT_TRUE(one == outputs_of(folder, {"--set", "machine.noc_delivery=random"}));
    EXPECT_FALSE(one == outputs_of(folder, {"--set", "seed=2"}));
}

TEST(CliOutputs, HaveNoSiluWhereItIsFused) {
    const ScratchFolder folder;
    (void)outputs_of(folder, {"--set", "params.activation=fused"});

    const SafetensorsFile file(folder.file("out.safetensors"));

    EXPECT_EQ(file.tensors().size(), 2U * 10 + 1);
    EXPECT_EQ(file.find("d0.silu"), nullptr);
    EXPECT_EQ(file.at("d1.combined").shape, (Shape{4, 40, 96}));
    EXPECT_EQ(file.at("final").shape, (Shape{40, 80}));
}

// The layer's DRAM is too small for the results of the steps, which is detected during the run.
TEST(CliOutputs, LeaveTheOldFileIfTheRunFails) {
    const ScratchFolder folder;
    const std::string file = folder.write("out.safetensors", "old");

    const Ending ending = run_tiny({"--outputs", file, "--set", "arch.dram.bank_size=24 KiB"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(bytes_of(file), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace tessera::test
