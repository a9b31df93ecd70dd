// SPDX-License-Identifier: Apache-2.0
// tessera tune and run --tuned: a choice by predicted time, stored by shape, refused if stale.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A small shape of the shipped sweep, and the same shape of its pipeline.
const std::vector<std::string> kShape{
    "params.T=16",      "params.H=256",        "params.I=256",           "params.E_global=8",
    "params.n_group=1", "params.topk_group=1", "params.by_expanded=none"};

class CliTune : public ::testing::Test {
protected:
    [[nodiscard]] Ending call(std::vector<std::string> arguments,
                              const std::vector<std::string>& more = {}) const {
        for (const std::string& set : kShape) {
            arguments.insert(arguments.end(), {"--set", set});
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_tessera(arguments);
    }
    [[nodiscard]] Ending tune(const std::vector<std::string>& more = {}) const {
        return call({"tune", "fp8_tile", "--table", table_}, more);
    }
    [[nodiscard]] Ending run_tuned(const std::vector<std::string>& more = {}) const {
        return call({"run", "moe_fp8", "--tuned", table_}, more);
    }

    ScratchFolder folder_;
    std::string table_ = folder_.file("tuned.yaml");
};

TEST_F(CliTune, ChoosesOnceAndKeepsTheChoice) {
    const Ending chosen = tune();
    const Ending kept = tune();

    EXPECT_EQ(chosen.exit_code, 0) << chosen.err;
    EXPECT_THAT(chosen.out, ContainsRegex("^chosen: tile [0-9]+, k_push [12], cb_depth [24], "));
    EXPECT_EQ(kept.exit_code, 0) << kept.err;
    EXPECT_EQ(kept.out.substr(kept.out.find(':')), chosen.out.substr(chosen.out.find(':')));
    EXPECT_THAT(kept.out, StartsWith("kept: "));
}

TEST_F(CliTune, RefusesATableWithTheEndingOfAnotherFormat) {
    const Ending ending = run_tessera({"tune", "fp8_tile", "--table", "tuned.json"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: --table tuned.json: its ending is .json, allowed: .yaml, the format that "
              "the option writes; write --table tuned.yaml\n");
}

TEST_F(CliTune, ExplainsWhatItCompared) {
    const std::string text = tune({"--explain"}).out;

    EXPECT_THAT(text, HasSubstr("T 16, H 256, I 256, E_global 8, "));
    EXPECT_THAT(text, ContainsRegex("\n  tile 128, k_push 2, cb_depth 4: [0-9.]+ us, bound by "));
    EXPECT_THAT(text, ContainsRegex("; best\n  [^\n]*; slower: [a-z ]+"));
}

TEST_F(CliTune, RunsOfTheShapeTakeTheChoice) {
    const std::string chosen = tune().out;
    const std::string tile = chosen.substr(8, chosen.find(',') - 8);  // after "chosen: "

    const Ending ending = run_tuned();

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr(", " + tile + ", by_expanded none, "));
}

TEST_F(CliTune, AnotherShapeHasNoChoice) {
    (void)tune();

    const Ending ending = run_tuned({"--set", "params.top_k=2"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("no choice for T 16, H 256, "));
}

TEST_F(CliTune, AStaleChoiceIsRefusedUntilItIsMadeAnew) {
    (void)tune();
    const std::vector<std::string> other{"--set", "arch.timing.link.rate=6.25 GB/s"};

    EXPECT_THAT(run_tuned(other).err, HasSubstr(" is stale: it was made on "));
    EXPECT_EQ(tune(other).exit_code, 2);
    EXPECT_EQ(tune({"--set", "arch.timing.link.rate=6.25 GB/s", "--again"}).exit_code, 0);
    EXPECT_EQ(run_tuned(other).exit_code, 0);
}

TEST_F(CliTune, AChoiceOfOtherKernelsIsStale) {
    (void)tune();
    const std::string kernel = "ops/fp8_grouped_matmul/kernels/compute.cpp";
    std::filesystem::create_directories(std::filesystem::path(folder_.file(kernel)).parent_path());
    std::ofstream(folder_.file(kernel))
        << bytes_of(std::string(TESSERA_SOURCE_DIR) + "/" + kernel) << "// edited\n";
    std::vector<std::string> arguments{"run", "moe_fp8", "--tuned", table_};
    for (const std::string& set : kShape) {
        arguments.insert(arguments.end(), {"--set", set});
    }

    EXPECT_THAT(run_tessera(arguments, folder_.file("")).err,
                HasSubstr("this machine, pipeline and kernels are "));
}

TEST_F(CliTune, AFileThatIsNoTableIsRefused) {
    std::ofstream(table_) << "choice: 3\n";

    EXPECT_THAT(tune().err, HasSubstr("expected a table of tessera tune, with choices"));
}

}  // namespace
}  // namespace tessera::test
