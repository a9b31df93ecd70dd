// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/load_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ops/moe_bmm/moe_bmm.hpp"
#include "runtime/config/run_file.hpp"
#include "tessera/errors.hpp"
#include "tests/errors/config/config_mistake.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kConfigs = std::filesystem::path(TESSERA_SOURCE_DIR) / "configs";

/// Nine lines; the blocks of tests begin at line 10.
constexpr const char* kLayer = R"(extends: moe_v2
mesh:
  shape: [1, 2]
params:
  tokens: 32
  hidden: 64
  intermediate: 64
  experts: 4
  top_k: 2
)";

const ops::MoeBmmSpec& bmm_of(const LoadedRun& loaded) {
    const auto step =
        std::ranges::find(loaded.pipeline.steps, "gate", &pipeline::PipelineStep::name);
    return step->parameters.get().as<ops::MoeBmmSpec>();
}

std::int64_t param_of(const LoadedRun& loaded, const std::string& name) {
    const auto param =
        std::ranges::find(loaded.pipeline.params, name, &pipeline::PipelineParam::name);
    return param == loaded.pipeline.params.end() ? -1 : std::get<std::int64_t>(param->value);
}

LoadedSweep load(const std::string& block, const std::vector<std::string>& sets = {}) {
    const ScratchFolder folder;
    const std::array folders{kConfigs};
    return load_sweep(folder.write("s.yaml", std::string(kLayer) + block), parse_sets(sets),
                      folders);
}

std::string settings_of(const SweepPoint& point) {
    std::string text;
    for (const Override& setting : point.settings) {
        text += setting.path + "=" + setting.value + " ";
    }
    return text;
}

TEST(LoadSweep, TakesEveryCombinationOfAGridTheLastKeyFastest) {
    const LoadedSweep sweep = load(
        "sweep:\n"
        "  question: which?\n"
        "  grid:\n"
        "    set.moe_bmm.k_block: [1, 2]\n"
        "    set.moe_bmm.grid: [[2, 2], [4, 1]]\n");

    EXPECT_EQ(sweep.name, "s");
    EXPECT_EQ(sweep.sweep.question, "which?");
    EXPECT_EQ(sweep.sweep.rank_by, "run");
    ASSERT_EQ(sweep.points.size(), 4U);
    EXPECT_EQ(settings_of(sweep.points[0]), "set.moe_bmm.k_block=1 set.moe_bmm.grid=[2, 2] ");
    EXPECT_EQ(settings_of(sweep.points[1]), "set.moe_bmm.k_block=1 set.moe_bmm.grid=[4, 1] ");
    EXPECT_EQ(settings_of(sweep.points[2]), "set.moe_bmm.k_block=2 set.moe_bmm.grid=[2, 2] ");
    EXPECT_EQ(bmm_of(sweep.points[3].loaded).k_block, 2U);
    EXPECT_EQ(bmm_of(sweep.points[3].loaded).grid, (GridSize{4, 1}));
}

TEST(LoadSweep, CombinesEachPointOfAListWithTheGrid) {
    const LoadedSweep sweep = load(
        "sweep:\n"
        "  question: q\n"
        "  points:\n"
        "    - {set.moe_bmm.schedule: single_core}\n"
        "    - {set.moe_bmm.schedule: multi_core, set.moe_bmm.distribution: round_robin}\n"
        "  grid: {params.tokens: [32, 64]}\n");

    ASSERT_EQ(sweep.points.size(), 4U);
    EXPECT_EQ(settings_of(sweep.points[1]), "set.moe_bmm.schedule=single_core params.tokens=64 ");
    EXPECT_EQ(bmm_of(sweep.points[2].loaded).distribution, ops::TileDistribution::RoundRobin);
    EXPECT_EQ(param_of(sweep.points[2].loaded, "tokens"), 32);
}

// All of them would be kept in memory.
TEST(LoadSweep, CountsItsPointsBeforeItMakesThem) {
    std::string ten = "[1";
    for (int i = 2; i <= 10; ++i) {
        ten += ", " + std::to_string(i);
    }
    ten += "]";
    std::string grid;
    for (const char* key : {"tokens", "hidden", "intermediate", "experts", "top_k", "seed"}) {
        grid += std::string("    params.") + key + ": " + ten + "\n";
    }
    for (const char* key : {"k_block", "cb_depth", "grid", "subblock"}) {
        grid += std::string("    set.moe_bmm.") + key + ": " + ten + "\n";
    }
    try {
        (void)load("sweep:\n  question: q\n  grid:\n" + grid);
        FAIL() << "10^10 points were made";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(),
                    testing::EndsWith(
                        "s.yaml:11:3: sweep: has 10000000000 points, allowed: 10000 or fewer"));
    }
}

TEST(LoadSweep, PutsEachCaseBeforeItsPoints) {
    const LoadedSweep sweep = load(
        "sweep:\n"
        "  question: q\n"
        "  cases: [{params.tokens: 32}, {params.tokens: 64}]\n"
        "  points: [{set.moe_bmm.cb_depth: 1}, {set.moe_bmm.cb_depth: 3}]\n"
        "  grid: {set.moe_bmm.k_block: [1, 2]}\n");

    ASSERT_EQ(sweep.points.size(), 8U);
    EXPECT_EQ(settings_of(sweep.points[3]),
              "params.tokens=32 set.moe_bmm.cb_depth=3 set.moe_bmm.k_block=2 ");
    EXPECT_EQ(settings_of(sweep.points[4]),
              "params.tokens=64 set.moe_bmm.cb_depth=1 set.moe_bmm.k_block=1 ");
    EXPECT_EQ(sweep.points[3].case_index, 0U);
    EXPECT_EQ(sweep.points[4].case_index, 1U);
    EXPECT_EQ(find(sweep.resolved, "sweep.question")->text, "q");
}

TEST(LoadSweep, ReadsTheBlockOfAFileAlone) {
    const ScratchFolder folder;

    EXPECT_EQ(
        read_sweep(folder.write("s.yaml", "sweep: {question: q, grid: {no.such.key: [1, 2]}}\n"))
            .grid[0]
            .path,
        "no.such.key");
    EXPECT_TRUE(is_sweep(folder.write("s.yaml", "sweep: {}\n")));
    EXPECT_FALSE(is_sweep(folder.write("s.yaml", "mesh: {}\n")));
}

TEST(LoadSweep, TakesNumbersOfTheDeviceWithThePlaceAsTheirSource) {
    const LoadedSweep sweep = load(
        "sweep:\n"
        "  question: q\n"
        "  grid: {arch.clock: [0.8 GHz, 1.0 GHz]}\n");

    EXPECT_EQ(sweep.points[0].loaded.arch.clock, Hertz{0.8e9});
    EXPECT_THAT(find(sweep.points[1].loaded.resolved, "arch.clock")->fact->source,
                HasSubstr("s.yaml:12:32"));
}

TEST(LoadSweep, KeepsPointsThatBreakARuleWithTheReason) {
    const LoadedSweep sweep = load(
        "sweep:\n"
        "  question: q\n"
        "  grid: {params.top_k: [2, 5]}\n");

    EXPECT_EQ(sweep.points[0].impossible, "");
    EXPECT_THAT(
        sweep.points[1].impossible,
        HasSubstr("s.yaml:12:28: params.top_k: 5 is out of range, allowed: 1 to experts (4)"));
}

TEST(LoadSweep, LetsOverridesReplaceOtherValues) {
    const LoadedSweep sweep =
        load("sweep: {question: q, grid: {params.tokens: [32, 64]}}\n", {"params.hidden=96"});

    EXPECT_EQ(param_of(sweep.points[1].loaded, "hidden"), 96);
}

TEST(LoadRun, RefusesAFileThatStandsForManyRuns) {
    EXPECT_EQ(test::refusal_of_run(std::string(kLayer) + "sweep: {question: q}\n"),
              "run.yaml:10:8: sweep: this file describes many runs; use tessera sweep");
}

struct Mistake {
    const char* name;
    const char* block;
    const char* message;  ///< after the folder's path
};

class SweepErrors : public testing::TestWithParam<Mistake> {};

TEST_P(SweepErrors, NamePlaceAndWhatIsAllowed) {
    std::string message;
    try {
        (void)load(GetParam().block, {"seed=3"});
    } catch (const std::exception& error) {
        message = error.what();
    }
    for (std::size_t at = 0; (at = message.find("/tmp/tessera-")) != std::string::npos;) {
        message.erase(at, std::string("/tmp/tessera-XXXXXX/").size());
    }

    EXPECT_EQ(message, GetParam().message);
}

constexpr Mistake kMistakes[] = {
    {"NoBlock", "", "s.yaml:1:1: sweep: required key is missing: this file is one run"},
    {"NothingToVary", "sweep: {question: q}\n",
     "s.yaml:10:8: sweep: neither grid nor points; one of them is required"},
    {"NoQuestion", "sweep:\n  grid: {params.tokens: [32]}\n",
     "s.yaml:11:3: sweep.question: required key is missing"},
    {"UnknownKey", "sweep: {question: q, value: true}\n",
     "s.yaml:10:22: sweep.value: unknown key, did you mean sweep.values?"},
    {"NoListOfValues", "sweep: {question: q, grid: {params.tokens: 32}}\n",
     "s.yaml:10:44: sweep.grid: expected a list of values of params.tokens, found '32'"},
    {"NoValues", "sweep: {question: q, grid: {params.tokens: []}}\n",
     "s.yaml:10:44: sweep.grid: expected a list of values of params.tokens, found a list of 0"},
    {"ValueTwice", "sweep: {question: q, grid: {params.tokens: [32, 64, 32]}}\n",
     "s.yaml:10:53: sweep.grid: params.tokens is 32 twice, first at s.yaml:10:45"},
    {"PointWithoutKeys", "sweep: {question: q, points: [{}]}\n",
     "s.yaml:10:31: sweep.points: expected a point {key.path: value, …}, found a map"},
    {"KeyInGridAndPoints",
     "sweep: {question: q, points: [{params.tokens: 32}], grid: {params.tokens: [64]}}\n",
     "s.yaml:10:76: params.tokens: is also set by s.yaml:10:47; remove one of them"},
    {"OnlyCases", "sweep: {question: q, cases: [{params.tokens: 32}]}\n",
     "s.yaml:10:8: sweep: neither grid nor points; one of them is required"},
    {"KeyInCasesAndGrid",
     "sweep: {question: q, cases: [{params.tokens: 32}], grid: {params.tokens: [64]}}\n",
     "s.yaml:10:75: params.tokens: is also set by s.yaml:10:46; remove one of them"},
    {"KeyOfTheCommandLine", "sweep: {question: q, grid: {seed: [1, 2]}}\n",
     "s.yaml:10:36: seed: is also set by --set seed=3; remove one of them"},
    {"UnknownSweptKey", "sweep: {question: q, grid: {params.token: [32]}}\n",
     "s.yaml:10:44: params.token: unknown key, did you mean params.tokens?"},
    {"SweptValueOfAnotherType", "sweep: {question: q, grid: {params.tokens: [32, many]}}\n",
     "s.yaml:10:49: params.tokens: 'many' is a word; allowed: a number from 1 to 1048576"},
};

INSTANTIATE_TEST_SUITE_P(Sweep, SweepErrors, testing::ValuesIn(kMistakes),
                         [](const auto& test) { return std::string(test.param.name); });

// Returns the values of a point, with its file in place of the locations of keys.
std::vector<std::string> values_of(const LoadedRun& loaded) {
    std::vector<std::string> values;
    for (const ResolvedValue& value : loaded.resolved) {
        values.push_back(value.path + ": " + value.text);
    }
    return values;
}

TEST(RunFile, LoadsToTheSameValuesAgain) {
    const LoadedSweep sweep =
        load("sweep: {question: q, grid: {arch.clock: [0.8 GHz], set.moe_bmm.grid: [[4, 2]]}}\n");
    const LoadedRun& point = sweep.points[0].loaded;
    const ScratchFolder folder;
    const std::array folders{kConfigs};

    const LoadedRun again =
        load_run(folder.write("s.yaml", to_run_file(point)), std::span<const Override>(), folders);

    EXPECT_EQ(values_of(again), values_of(point));
    EXPECT_EQ(bmm_of(again).grid, (GridSize{4, 2}));
}

TEST(RunFile, NamesKernelsByWholePaths) {
    const ScratchFolder folder;
    const auto run = std::filesystem::path(TESSERA_SOURCE_DIR) / "examples/bias_gelu";
    const std::array folders{kConfigs};
    const LoadedRun loaded = load_run(run / "bias_gelu.yaml", std::span<const Override>(), folders);

    const std::string text = to_run_file(loaded);

    EXPECT_NE(text.find("path: " + (run / "reader.cpp").string()), std::string::npos) << text;
    EXPECT_NO_THROW(
        (void)load_run(folder.write("elsewhere.yaml", text), std::span<const Override>(), folders));
}

TEST(RunFile, KeepsNumbersBeyondTheRangesOfThoseTheyReplace) {
    const LoadedSweep sweep =
        load("sweep: {question: q, grid: {arch.timing.link.hop_latency: [1 ns]}}\n");
    const ScratchFolder folder;
    const std::array folders{kConfigs};

    const LoadedRun again = load_run(folder.write("s.yaml", to_run_file(sweep.points[0].loaded)),
                                     std::span<const Override>(), folders);

    EXPECT_EQ(find(again.resolved, "arch.timing.link.hop_latency")->text, "1 ns");
    EXPECT_EQ(find(again.resolved, "arch.timing.link.hop_latency")->fact->range, std::nullopt);
    EXPECT_EQ(values_of(again), values_of(sweep.points[0].loaded));
}

TEST(RunFile, WritesNumbersOfTheDeviceOnlyWhereTheyAreReplaced) {
    const std::array folders{kConfigs};
    const LoadedRun plain =
        load_run(kConfigs / "runs/moe_v2_tiny.yaml", std::span<const Override>(), folders);

    const std::string text = to_run_file(plain);

    EXPECT_THAT(text, testing::StartsWith("mesh:\n  device: wormhole_n150\n  shape: [1, 2]\n"));
    EXPECT_THAT(text, HasSubstr("\nsteps:\n  prepare_routing:\n"));
    EXPECT_THAT(text, testing::Not(HasSubstr("arch:")));
}

}  // namespace
}  // namespace tessera::config
