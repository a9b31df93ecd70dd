// SPDX-License-Identifier: Apache-2.0
// tessera exec: what it passes to the program, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

Ending exec_shell(std::vector<std::string> options, const std::string& script,
                  const std::filesystem::path& folder = {}) {
    options.insert(options.begin(), "exec");
    options.insert(options.end(), {"sh", "-c", script});
    return run_tessera(options, folder);
}

TEST(CliExec, PassesSettingsAsVariables) {
    const Ending ending = exec_shell(
        {"--mesh", "2x4", "--time", "--set", "l1.size=1 MiB", "--set", "noc.hop=5 cycles"},
        "echo \"$TESSERA_MESH|$TESSERA_TIME|$TESSERA_SET|$TESSERA_TRACE\"");

    EXPECT_EQ(ending.out, "2x4|1|l1.size=1 MiB\nnoc.hop=5 cycles|\n") << ending.err;
    EXPECT_EQ(ending.exit_code, 0);
}

TEST(CliExec, ReturnsTheExitCodeOfTheProgram) {
    EXPECT_EQ(exec_shell({}, "exit 7").exit_code, 7);
}

TEST(CliExec, RefusesSettingsBeforeTheProgramStarts) {
    const Ending mesh = exec_shell({"--mesh", "1z8"}, "echo started");
    const Ending delivery = exec_shell({"--delivery", "late"}, "echo started");

    EXPECT_EQ(mesh.exit_code, 2);
    EXPECT_EQ(mesh.err, "tessera: --mesh: mesh 1z8: allowed: ROWSxCOLUMNS, such as 1x8\n");
    EXPECT_EQ(delivery.err,
              "tessera: --delivery: delivery late: allowed: at_issue, at_barrier, random\n");
    EXPECT_EQ(mesh.out + delivery.out, "");
}

TEST(CliExec, RefusesNumbersAndDevicesBeforeTheProgramStarts) {
    struct Mistake {
        std::vector<std::string> options;
        const char* message;
    };
    const Mistake mistakes[] = {
        {{"--mesh", "99x99"}, "tessera: --mesh: mesh 99x99: allowed: 1 to 256 devices\n"},
        {{"--mesh", "0x8"}, "tessera: --mesh: mesh 0x8: allowed: 1 to 256 devices\n"},
        {{"--threads", "0"}, "tessera: --threads: threads 0: allowed: 1 to 1024\n"},
        {{"--device", "wormhole"},
         "tessera: --device wormhole: no such file or shipped device model; nearest: "
         "wormhole_n150, shipped: blackhole_p150, wormhole_n150\n"},
    };
    for (const Mistake& mistake : mistakes) {
        const Ending ending = exec_shell(mistake.options, "echo started");

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.err, mistake.message);
        EXPECT_EQ(ending.out, "");
    }
}

TEST(CliExec, RefusesKeysThatAreNoSettings) {
    const ScratchFolder folder;
    std::ofstream(folder.path() / "mesh.yaml")
        << "mesh: {device: wormhole_n150, shape: [1, 2]}\nsteps: []\n";

    const Ending ending = exec_shell({"--config", "mesh.yaml"}, "echo started", folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, testing::StartsWith("mesh.yaml:2:1: steps: unknown key"));
}

TEST(CliExec, RefusesACommandWithoutProgram) {
    const Ending none = run_tessera({"exec"});
    const Ending absent = run_tessera({"exec", "/no/such/program"});

    EXPECT_EQ(none.err,
              "tessera: exec: no program; allowed: tessera exec [OPTIONS] PROGRAM [ARGS]\n");
    EXPECT_EQ(absent.err, "tessera: exec /no/such/program: No such file or directory\n");
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_EQ(absent.exit_code, 2);
}

}  // namespace
}  // namespace tessera::test
