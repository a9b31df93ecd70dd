// SPDX-License-Identifier: Apache-2.0
// Commands under mpirun on one host. A build without MPI refuses mpirun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::HasSubstr;

/// Output and exit code of a shell command.
struct Shell {
    int exit_code = 0;
    std::string out;
    std::string err;
};

Shell shell(const std::string& command, const ScratchFolder& folder) {
    const std::string script = "cd '" + folder.path().string() + "' && { " + command +
                               "\n} >shell.out 2>shell.err </dev/null";
    const int status = std::system(script.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, bytes_of(folder.file("shell.out")),
            bytes_of(folder.file("shell.err"))};
}

#ifdef TESSERA_MPIRUN

// Tests run as root in a container and with more ranks than cores.
std::string on_ranks(unsigned ranks, const std::string& arguments) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
           "OMPI_MCA_rmaps_base_oversubscribe=1 " TESSERA_MPIRUN " -n " +
           std::to_string(ranks) + " " TESSERA_BINARY " " + arguments;
}

/// A sweep of 12 recordings that take milliseconds.
constexpr const char* kSweep =
    "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
    "tensors:\n  input: {shape: [256, 256], dtype: bfloat16, layout: tile}\n"
    "steps:\n  - {name: copy, op: copy, in: [input], out: [output]}\n"
    "sweep:\n  question: How many cores?\n  grid:\n"
    "    set.copy.grid: [[1, 1], [2, 2], [4, 2], [4, 4], [8, 4], [8, 8]]\n"
    "    set.copy.cb_depth: [2, 4]\n";

class Ranks : public testing::TestWithParam<unsigned> {};

/// Compares the files and the text of a command: one process writes `one`, ranks write `many`.
void expect_same_bytes(unsigned ranks, const std::string& arguments,
                       const std::vector<std::string>& files = {}) {
    const ScratchFolder one;
    const ScratchFolder many;
    one.write("copies.yaml", kSweep);
    many.write("copies.yaml", kSweep);

    const Shell alone = shell(TESSERA_BINARY " " + arguments, one);
    const Shell shared = shell(on_ranks(ranks, arguments), many);

    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_EQ(shared.exit_code, 0) << shared.err;
    EXPECT_EQ(shared.out, alone.out);
    for (const std::string& file : files) {
        EXPECT_EQ(bytes_of(many.file(file)), bytes_of(one.file(file))) << file;
    }
}

TEST_P(Ranks, SweepPrintsAndWritesTheSameBytes) {
    expect_same_bytes(GetParam(), "sweep copies.yaml --draws 2 --out out",
                      {"out/sweep.csv", "out/best.yaml"});
}

TEST_P(Ranks, SearchVisitsTheSamePoints) {
    expect_same_bytes(GetParam(), "sweep copies.yaml --draws 2 --search");
}

TEST_P(Ranks, ScorePrintsTheSameBytes) {
    expect_same_bytes(GetParam(), "score --group dram_epcc --arch wormhole --draws 2 --rows");
}

TEST_P(Ranks, TuneKeepsTheSameChoice) {
    expect_same_bytes(GetParam(), "tune copies.yaml --table table.yaml --explain", {"table.yaml"});
}

TEST_P(Ranks, AdviseNamesTheSameConstants) {
    expect_same_bytes(GetParam(), "advise vector_add --each-constant --full");
}

TEST_P(Ranks, OneMessageTellsOfAMistakeThatAllRanksSee) {
    const ScratchFolder folder;

    const Shell ending = shell(on_ranks(GetParam(), "sweep nothing"), folder);

    EXPECT_EQ(ending.exit_code, 2);
    const std::string message = "tessera: nothing: no such file or shipped configuration";
    EXPECT_THAT(ending.err, HasSubstr(message));
    EXPECT_EQ(ending.err.find(message), ending.err.rfind(message));
}

INSTANTIATE_TEST_SUITE_P(OnOneHost, Ranks, testing::Values(2U, 3U));

TEST(RanksOfRun, AreRefused) {
    const ScratchFolder folder;

    const Shell ending = shell(on_ranks(2, "run moe_v2_tiny"), folder);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("tessera: tessera run runs in one process; allowed with "
                                      "mpirun: sweep, advise, tune, score\n"));
}

// A rank is killed once the first point is in the cache; mpirun then ends each other rank.
TEST(RanksOfASweep, ResumeAfterARankDied) {
    const ScratchFolder folder;
    folder.write("copies.yaml", kSweep);
    const std::string sweep = "sweep copies.yaml --threads 1 --cache cache";

    const Shell killed =
        shell(on_ranks(2, sweep) +
                  " & run=$!; until ls cache 2>/dev/null | grep -q json; do sleep 0.01; done; "
                  "kill -9 $(pgrep -P $run | tail -n 1); wait $run",
              folder);
    const Shell resumed = shell(on_ranks(2, sweep), folder);
    const Shell alone = shell(TESSERA_BINARY " sweep copies.yaml", folder);

    EXPECT_NE(killed.exit_code, 0);
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    // The second line counts points from the cache; the table follows.
    const auto table = [](const std::string& text) { return text.substr(text.find("\n\n")); };
    EXPECT_EQ(table(resumed.out), table(alone.out));
    EXPECT_THAT(resumed.out, HasSubstr("from the cache"));
}

#else

TEST(RanksOfABuildWithoutMpi, AreRefused) {
    const ScratchFolder folder;

    const Shell ending = shell("OMPI_COMM_WORLD_SIZE=2 " TESSERA_BINARY " sweep k_block", folder);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: mpirun started several ranks, and this build of tessera has no MPI; "
              "allowed: one process, or a build with -DTESSERA_MPI=ON\n");
}

#endif

}  // namespace
}  // namespace tessera::test
