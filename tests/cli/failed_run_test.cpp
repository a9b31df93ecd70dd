// SPDX-License-Identifier: Apache-2.0
// A run that fails in a kernel writes a report and an error that programs can parse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// Two steps. In the second, cores of a row wait for each other before any core sets a semaphore.
constexpr const char* kRing = R"(
mesh: {device: wormhole_n150, shape: [1, 1]}
params: {M: 64, N: 64}
tensors:
  x: {shape: [M, N], dtype: bfloat16, layout: tile}
steps:
  - {name: scale, op: scale, in: [x], out: [y], set: {factor: 3}}
  - name: ring
    in: [y]
    out: {z: {shape: [M, N], dtype: bfloat16, layout: tile}}
    program:
      cores: {grid: [3, 1]}
      semaphores: {ready: 0}
      kernels:
        - {path: ring.cpp, on: reader, compile_args: [ready]}
)";
constexpr const char* kRingKernel = R"(void kernel_main() {
    const uint32_t ready = get_semaphore(get_compile_time_arg_val(0));
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready), 1);
    noc_semaphore_inc(get_noc_addr(18 + (my_x[0] - 17) % 3, my_y[0], ready), 1);
}
)";

class CliFailedRun : public testing::Test {
protected:
    CliFailedRun() {
        folder_.write("ring.yaml", kRing);
        folder_.write("ring.cpp", kRingKernel);
    }
    Ending run(std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "ring.yaml"});
        return run_tessera(more, folder_.path());
    }
    const ScratchFolder folder_;
};

TEST_F(CliFailedRun, NamesTheCauseThenEqualThreadsOnceByTheNamesOfTheRunFile) {
    const Ending ending = run({});

    EXPECT_EQ(ending.exit_code, 3);
    EXPECT_EQ(
        ending.err,
        "tessera: Deadlock: device 0 core (0,0) reader ring.cpp:3: probably a ring of 3 cores: "
        "each waits at ring.cpp:3 for semaphore ready of its own core, and no other thread is left "
        "to set "
        "it\n"
        "  3 kernel threads are blocked and nothing is in flight:\n"
        "    3 threads: device 0 cores (0,0)-(2,0) reader ring.cpp:3 waits in "
        "noc_semaphore_wait(semaphore ready, 1): its value is 0\n");
}

// The argument does not exist. It is read as 0 rounds, so nobody sets the semaphore.
TEST_F(CliFailedRun, NamesToleratedBehaviourThatPrecededADeadlock) {
    folder_.write("ring.cpp", R"(void kernel_main() {
    const uint32_t ready = get_semaphore(get_compile_time_arg_val(0));
    const uint32_t rounds = get_arg_val<uint32_t>(0);
    if (my_x[0] == 18) {
        for (uint32_t i = 0; i < rounds; ++i) {
            noc_semaphore_inc(get_noc_addr(19, my_y[0], ready), 1);
        }
    } else if (my_x[0] == 19) {
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready), 1);
    }
}
)");

    const Ending ending = run({});

    EXPECT_EQ(ending.exit_code, 3);
    EXPECT_THAT(ending.err,
                HasSubstr("\n  before it, tolerated: get_arg_val past the end of the arguments, "
                          "ring.cpp:3, 3 cores: "));
}

TEST_F(CliFailedRun, WritesTheReportOfTheStepsBefore) {
    const Ending ending = run({"--report", "report"});

    EXPECT_EQ(ending.exit_code, 3);
    EXPECT_THAT(ending.err, StartsWith("tessera: report holds the error and the 1 step before it\n"
                                       "tessera: Deadlock: "));
    const json report = json::parse(bytes_of(folder_.file("report/report.json")));
    EXPECT_EQ(report.at("run").at("verdict"), "error");
    EXPECT_EQ(report.at("run").at("error").at("category"), "Deadlock");
    ASSERT_EQ(report.at("run").at("steps").size(), 1U);
    EXPECT_EQ(report.at("run").at("steps")[0].at("name"), "scale");
    EXPECT_EQ(report.at("launches").size(), 1U);
    EXPECT_THAT(bytes_of(folder_.file("report/report.html")), HasSubstr("The run failed"));
}

TEST_F(CliFailedRun, PrintsAnErrorForPrograms) {
    const Ending ending = run({"--json"});

    EXPECT_EQ(ending.exit_code, 3);
    const json error = json::parse(ending.out);
    EXPECT_EQ(error.at("schema"), "tessera.error");
    EXPECT_EQ(error.at("type"), "KernelError");
    EXPECT_EQ(error.at("category"), "Deadlock");
    EXPECT_EQ(error.at("device"), 0);
    EXPECT_EQ(error.at("core"), json({{"x", 0}, {"y", 0}}));
    EXPECT_EQ(error.at("thread"), "reader");
    EXPECT_EQ(error.at("kernel"), "ring.cpp");
    EXPECT_EQ(error.at("file"), "ring.cpp");
    EXPECT_EQ(error.at("line"), 3);
    EXPECT_EQ(error.at("exit_code"), 3);
    EXPECT_THAT(error.at("message"),
                StartsWith("Deadlock: device 0 core (0,0) reader ring.cpp:3: "));
}

TEST_F(CliFailedRun, PrintsTheLineOfARunFileForPrograms) {
    folder_.write("typo.yaml", "mesh: {device: wormhole_n150, shape: [1, 1]}\nstepz: []\n");

    const json error = json::parse(run_tessera({"run", "typo.yaml", "--json"}, folder_.path()).out);

    EXPECT_EQ(error.at("type"), "ConfigError");
    EXPECT_EQ(error.at("category"), nullptr);
    EXPECT_EQ(error.at("file"), "typo.yaml");
    EXPECT_EQ(error.at("line"), 2);
    EXPECT_EQ(error.at("exit_code"), 2);
}

}  // namespace
}  // namespace tessera::test
