// SPDX-License-Identifier: Apache-2.0
// tessera sweep: points of a configuration, ranked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

const std::string kCopy =
    "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
    "tensors:\n  input: {shape: [128, 128], dtype: bfloat16, layout: tile}\n"
    "steps:\n  - {name: copy, op: copy, in: [input], out: [output]}\n";
const std::string kGrids = kCopy +
                           "sweep:\n  question: How many cores?\n"
                           "  grid: {set.copy.grid: [[1, 1], [2, 2]]}\n";

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& csv) {
    Rows rows;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) {
            rows.back().push_back(cell);
        }
    }
    return rows;
}

json makespan_of(const std::string& config, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", config, "--json"});
    return json::parse(run_tessera(more).out).at("makespan");
}

TEST(CliSweep, RanksPointsByTheTimesOfTheirRuns) {
    const ScratchFolder folder;
    const std::string config = folder.write("copy.yaml", kCopy);

    const Rows rows =
        rows_of(run_tessera({"sweep",
                             folder.write("s.yaml", kCopy + "sweep:\n  question: q\n  points:\n"
                                                            "    - {set.copy.cb_depth: 1}\n"
                                                            "    - {set.copy.cb_depth: 4}\n"),
                             "--csv"})
                    .out);

    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0][1], "set.copy.cb_depth");
    EXPECT_EQ(rows[0][3], "expected_ns");
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const json time = makespan_of(config, {"--set", "set.copy.cb_depth=" + rows[i][1]});
        EXPECT_EQ(rows[i][0], std::to_string(i));
        // Millicycles at 1 GHz: nanoseconds with three digits.
        EXPECT_NEAR(std::stod(rows[i][3]), time.at("expected").get<double>() / 1000, 1e-6);
        EXPECT_NEAR(std::stod(rows[i][4]), time.at("low").get<double>() / 1000, 1e-6);
        EXPECT_NEAR(std::stod(rows[i][5]), time.at("high").get<double>() / 1000, 1e-6);
    }
    EXPECT_LE(std::stod(rows[1][3]), std::stod(rows[2][3]));
}

TEST(CliSweep, ShowsTableAndAnswer) {
    const ScratchFolder folder;

    const Ending ending = run_tessera({"sweep", folder.write("cores.yaml", kGrids)});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_EQ(ending.err, "") << "no progress in a pipe";
    EXPECT_THAT(ending.out,
                StartsWith("cores: How many cores?\n2 points by time of the run; 2 recordings of "
                           "kernels; values not computed\n\n  rank  grid "));
    EXPECT_THAT(ending.out, ContainsRegex("\n     1  \\[2, 2\\] [^\n]* 1\\.00  best "));
    EXPECT_THAT(ending.out, ContainsRegex("\nbest: grid \\[2, 2\\], [0-9.]+ us; grid \\[1, 1\\] "
                                          "takes [0-9.]+ times as long "
                                          "\\(robust: [0-9]+ % of [0-9]+ pairs\\)\n$"));
}

// The router computes its logits, which a sweep without values draws. The experts that tokens choose
// are then not those of the router.
TEST(CliSweep, NamesTensorsThatItDraws) {
    const ScratchFolder folder;
    const std::string config =
        folder.write("router.yaml",
                     "extends: moe_routing\nparams: {T: 32, H: 64, E: 32, scoring: softmax}\n"
                     "sweep: {question: q, points: [{params.top_k: 2}, {params.top_k: 4}]}\n");
    const std::string drawn =
        "drawn, since no values are computed: router_logits; kernels choose by them";

    const Ending ending = run_tessera({"sweep", config, "--out", folder.file("out")});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("; values not computed\n" + drawn + "\n\n"));
    const Ending with_values = run_tessera({"sweep", config, "--set", "sweep.values=true"});
    EXPECT_THAT(with_values.out, testing::Not(HasSubstr("drawn")));
}

TEST(CliSweep, RanksWithinCases) {
    const ScratchFolder folder;
    const std::string config =
        folder.write("s.yaml", kCopy +
                                   "sweep:\n  question: q\n  cases:\n"
                                   "    - {tensors.input.memory: dram}\n"
                                   "    - {tensors.input.memory: l1}\n"
                                   "  grid: {set.copy.grid: [[1, 1], [2, 2]]}\n");

    const std::string out = folder.file("out");
    const Ending ending = run_tessera({"sweep", config, "--quiet", "--out", out});

    EXPECT_THAT(ending.out, ContainsRegex("^memory dram: best: grid \\[2, 2\\], [^\n]*\n"
                                          "memory l1: best: grid \\[2, 2\\], [^\n]*\n$"));
    EXPECT_TRUE(fs::exists(out + "/best_2.yaml"));
    EXPECT_THAT(bytes_of(out + "/best_2.yaml"), HasSubstr("\n    memory: l1\n"));
}

TEST(CliSweep, RecordsOnceWhatDiffersInTimesOnly) {
    const ScratchFolder folder;
    const std::string config =
        folder.write("s.yaml", kCopy +
                                   "sweep:\n  question: q\n  grid:\n"
                                   "    arch.timing.dram.read_latency: [100 cycles, 300 cycles]\n"
                                   "    arch.clock: [0.8 GHz, 1.0 GHz]\n");

    const std::string text = run_tessera({"sweep", config}).out;
    const Rows rows = rows_of(run_tessera({"sweep", config, "--csv"}).out);

    EXPECT_THAT(text, HasSubstr("4 points by time of the run; 1 recording of kernels;"));
    ASSERT_EQ(rows.size(), 5U);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const json time = makespan_of(folder.write("copy.yaml", kCopy),
                                      {"--set", "arch.timing.dram.read_latency=" + rows[i][1],
                                       "--set", "arch.clock=" + rows[i][2]});
        EXPECT_NEAR(std::stod(rows[i][3]), time.at("expected").get<double>() / 1000, 1e-3);
    }
}

TEST(CliSweep, GivesTheSameBytesAtAnyNumberOfThreads) {
    const ScratchFolder folder;
    const std::string config = folder.write("s.yaml", kGrids);
    for (const char* threads : {"1", "2", "5"}) {
        ASSERT_EQ(
            run_tessera({"sweep", config, "--threads", threads, "--out", folder.file(threads)})
                .exit_code,
            0);
    }

    for (const char* name : {"sweep.csv", "sweep.html", "best.yaml"}) {
        const std::string one = bytes_of(folder.file("1") + "/" + name);
        EXPECT_EQ(bytes_of(folder.file("2") + "/" + name), one) << name;
        EXPECT_EQ(bytes_of(folder.file("5") + "/" + name), one) << name;
    }
}

TEST(CliSweep, WritesTheBestAsAConfigurationThatRunsInThatTime) {
    const ScratchFolder folder;
    const std::string out = folder.file("out");
    ASSERT_EQ(run_tessera({"sweep", folder.write("s.yaml", kGrids), "--out", out}).exit_code, 0);

    const Ending best = run_tessera({"run", out + "/best.yaml", "--json"});

    EXPECT_EQ(best.exit_code, 0) << best.err;
    const json record = json::parse(best.out);
    EXPECT_EQ(record.at("verdict"), "pass");
    const Rows rows = rows_of(bytes_of(out + "/sweep.csv"));
    // "[2, 2]" is quoted and takes two cells.
    EXPECT_NEAR(std::stod(rows[1][4]), record.at("makespan").at("expected").get<double>() / 1000,
                1e-6);
    EXPECT_THAT(bytes_of(out + "/best.yaml"),
                AllOf(StartsWith("# From 2 points of the sweep s: How many cores?\n# best: grid "),
                      HasSubstr("\n    grid: [2, 2]\n")));
    EXPECT_THAT(bytes_of(out + "/sweep.html"), HasSubstr("How many cores?"));
}

TEST(CliSweep, WritesTheBestMachineAsAConfigurationWithItsInterval) {
    const ScratchFolder folder;
    const std::string out = folder.file("out");
    const std::string config =
        folder.write("s.yaml", kCopy +
                                   "sweep:\n  question: q\n  grid:\n"
                                   "    arch.timing.dram.read_latency: [1 cycles, 900 cycles]\n");
    ASSERT_EQ(run_tessera({"sweep", config, "--out", out}).exit_code, 0);

    const json time = makespan_of(out + "/best.yaml", {});

    const Rows rows = rows_of(bytes_of(out + "/sweep.csv"));
    EXPECT_EQ(rows[1][1], "1 cycles") << "beyond the range of the shipped number";
    EXPECT_NEAR(std::stod(rows[1][4]), time.at("low").get<double>() / 1000, 1e-6);
    EXPECT_NEAR(std::stod(rows[1][5]), time.at("high").get<double>() / 1000, 1e-6);
}

TEST(CliSweep, ListsPointsThatARuleForbidsAndGoesOn) {
    const ScratchFolder folder;
    const std::string config = folder.write(
        "s.yaml", kCopy + "sweep:\n  question: q\n  grid: {set.copy.grid: [[1, 1], [99, 1]]}\n");

    const Ending ending = run_tessera({"sweep", config});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, HasSubstr("\nWithout a time\n  grid [99, 1]: "));
    EXPECT_THAT(ending.out, HasSubstr("99"));
    EXPECT_THAT(run_tessera({"check", config}).out,
                StartsWith(config + ": ok, 2 points, 1 of them impossible:\n  1 point: " + config));
}

TEST(CliSweep, EndsWithTheCodeOfAFailedCheckAndShowsTheOthers) {
    const ScratchFolder folder;
    const std::string config =
        folder.write("s.yaml",
                     "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
                     "tensors:\n  in0: {shape: [64, 256], dtype: bfloat16, layout: tile}\n"
                     "  in1: {shape: [256, 64], dtype: bfloat16, layout: tile}\n"
                     "steps:\n  - {name: matmul, op: matmul, in: [in0, in1], out: [output]}\n"
                     "set: {matmul: {schedule: single_core, fp32_dest_acc: true}}\n"
                     "verify: {max_relative_error: 0.01}\n"
                     "sweep:\n  question: q\n  values: true\n"
                     "  grid: {set.matmul.math_fidelity: [LoFi, HiFi4]}\n");
    const std::string out = folder.file("out");

    const Ending ending = run_tessera({"sweep", config, "--out", out});

    EXPECT_EQ(ending.exit_code, 1);
    EXPECT_THAT(ending.out, HasSubstr("; values computed and compared\n"));
    EXPECT_THAT(ending.out, HasSubstr("\n  math_fidelity LoFi: values are too far from their "
                                      "references: matmul\n"));
    EXPECT_THAT(ending.out, ContainsRegex("\n     1  HiFi4 "));
    EXPECT_THAT(bytes_of(out + "/sweep.csv"),
                HasSubstr("values are too far from their references: matmul"));
    EXPECT_THAT(bytes_of(out + "/best.yaml"), HasSubstr("math_fidelity: HiFi4"));
}

TEST(CliSweep, OfWhichNoCheckPassesEndsWithOneAndSaysWhy) {
    const ScratchFolder folder;
    const std::string config =
        folder.write("s.yaml",
                     "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
                     "tensors:\n  in0: {shape: [64, 256], dtype: bfloat16, layout: tile}\n"
                     "  in1: {shape: [256, 64], dtype: bfloat16, layout: tile}\n"
                     "steps:\n  - {name: matmul, op: matmul, in: [in0, in1], out: [output]}\n"
                     "set: {matmul: {schedule: single_core}}\n"
                     "verify: {max_relative_error: 0.0001}\n"
                     "sweep:\n  question: q\n  values: true\n"
                     "  grid: {set.matmul.math_fidelity: [LoFi, HiFi2]}\n");
    const std::string out = folder.file("out");

    const Ending ending = run_tessera({"sweep", config, "--out", out});

    EXPECT_EQ(ending.exit_code, 1);
    EXPECT_THAT(ending.out,
                HasSubstr("\nWithout a time\n  math_fidelity LoFi: values are too far"));
    EXPECT_THAT(ending.out, EndsWith("\nno point has a time\n"));
    EXPECT_TRUE(fs::exists(out + "/sweep.html"));
    EXPECT_FALSE(fs::exists(out + "/best.yaml"));
}

TEST(CliSweep, WithoutAnyPointThatRunsIsAnErrorAndWritesNothing) {
    const ScratchFolder folder;
    const std::string config = folder.write(
        "s.yaml", kCopy + "sweep:\n  question: q\n  grid: {set.copy.grid: [[99, 1], [1, 99]]}\n");
    const std::string out = folder.file("out");

    const Ending ending = run_tessera({"sweep", config, "--out", out});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_THAT(ending.err, StartsWith("tessera: s: no point of the sweep can run:\n  "));
    EXPECT_FALSE(fs::exists(out));
}

TEST(CliSweep, PrintsItsAnswerAlsoWhereFilesCannotBeWritten) {
    const ScratchFolder folder;
    fs::permissions(folder.path(), fs::perms::all);
    folder.write("s.yaml", kGrids);

    const Ending ending = run_limited({"sweep", "s.yaml", "--quiet", "--out", "out"}, RLIMIT_FSIZE,
                                      4096, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.out, HasSubstr("best: "));
    EXPECT_THAT(ending.err, MatchesRegex("tessera: out/sweep.html: cannot write [0-9]+ bytes at "
                                         "[0-9]+: File too large\n"));
}

TEST(CliSweep, WritesThePointsThatItHasWhenInterrupted) {
    const ScratchFolder folder;
    const std::string out = folder.file("out");

    EXPECT_EQ(interrupt_tessera_at({"sweep", "k_block", "--out", out, "--log-level", "replay=info"},
                                   "sweep: 1 of 12 recordings"),
              SIGINT);

    const std::string best = bytes_of(out + "/best_1.yaml");
    EXPECT_THAT(best, HasSubstr("interrupted: "));
    EXPECT_THAT(best, HasSubstr(" of 12 points have a time, the best is the best of these"));
}

TEST(CliSweep, GoesOnWhereItStoodWithACache) {
    const ScratchFolder folder;
    const std::string file = folder.write("s.yaml", kGrids);
    const std::vector<std::string> command{"sweep", file, "--csv", "--cache",
                                           folder.file("points")};

    const Ending first = run_tessera(command);
    const Ending again = run_tessera(command);
    const Ending text = run_tessera({"sweep", file, "--cache", folder.file("points")});

    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(again.out, first.out);
    EXPECT_THAT(text.out, HasSubstr("; 0 recordings of kernels, 2 points from the cache; values "));
}

// Points that differ in times only share a recording. The column recorded_by names it, also if the
// cache has the times and nothing is recorded.
TEST(CliSweep, GivesTheSameBytesFromItsCache) {
    const ScratchFolder folder;
    const std::vector<std::string> command{
        "sweep",
        folder.write("s.yaml", kCopy + "sweep:\n  question: q\n"
                                       "  grid: {arch.timing.noc.hop: [8 cycles, 9 cycles]}\n"),
        "--csv", "--cache", folder.file("points")};

    const Ending first = run_tessera(command);
    const Ending again = run_tessera(command);

    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(again.out, first.out);
}

TEST(CliSweep, PrintsTimesThatItsCacheCannotTakeAndEndsWith2) {
    const ScratchFolder folder;
    fs::permissions(folder.path(), fs::perms::all);
    const std::string file = folder.write("s.yaml", kGrids);
    constexpr std::uint64_t kLessThanAPoint = 2048;

    const Ending with = run_limited({"sweep", "s.yaml", "--csv", "--cache", "points"}, RLIMIT_FSIZE,
                                    kLessThanAPoint, folder.path());

    EXPECT_EQ(with.exit_code, 2);
    EXPECT_EQ(with.out, run_tessera({"sweep", file, "--csv"}).out);
    EXPECT_THAT(with.err, HasSubstr("--cache points: the times of 2 of 2 points are not kept: "));
}

// The first point of the sweep is best in neither key.
TEST(CliSweep, FindsTheBestBySearch) {
    const ScratchFolder folder;
    const std::string file =
        folder.write("s.yaml",
                     "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
                     "tensors:\n  input: {shape: [256, 256], dtype: bfloat16, layout: tile}\n"
                     "steps:\n  - {name: copy, op: copy, in: [input], out: [output]}\n"
                     "sweep:\n  question: q\n  grid:\n    set.copy.cb_depth: [1, 2, 4]\n"
                     "    set.copy.grid: [[1, 1], [2, 2], [4, 4], [8, 8]]\n");

    const Ending all = run_tessera({"sweep", file, "--quiet"});
    const Ending search = run_tessera({"sweep", file, "--search"});

    EXPECT_EQ(search.exit_code, 0) << search.err;
    const std::string best = all.out.substr(0, all.out.find(" us"));
    EXPECT_THAT(search.out, HasSubstr("\n" + best));
    EXPECT_THAT(search.out, HasSubstr("8 recordings of kernels"));
    EXPECT_THAT(search.out, HasSubstr("\nWithout a time\n  4 points that the search passed by\n"));
}

TEST(CliSweep, ShowsABarInATerminal) {
    const ScratchFolder folder;

    const std::string shown = run_in_terminal({"sweep", folder.write("s.yaml", kGrids)}, 100);

    EXPECT_THAT(shown, HasSubstr("[..............................] 0 of 2 recordings"));
    EXPECT_THAT(shown, HasSubstr("[###############...............] 1 of 2 recordings"));
    EXPECT_THAT(shown, HasSubstr("[##############################] 2 of 2 recordings\033[K"));
}

TEST(CliSweep, NamesItsStepsIfToRankByNone) {
    const ScratchFolder folder;
    const std::string config = folder.write("s.yaml", kGrids + "  rank_by: gate\n");

    for (const char* command : {"sweep", "check"}) {
        const Ending ending = run_tessera({command, config});

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.out, "");
        EXPECT_EQ(ending.err, config +
                                  ":9:12: sweep.rank_by: unknown step gate, allowed: run, "
                                  "copy\n");
    }
}

}  // namespace
}  // namespace tessera::test
