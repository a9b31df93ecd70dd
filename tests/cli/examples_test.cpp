// SPDX-License-Identifier: Apache-2.0
// The examples, and an op that `tessera new op` writes, run as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

std::string example(const std::string& name) {
    return std::string(TESSERA_SOURCE_DIR) + "/examples/" + name + "/" + name + ".yaml";
}

TEST(CliExamples, BiasGeluIsAProgramInYaml) {
    const Ending ending = run_tessera({"run", example("bias_gelu"), "--quiet"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, testing::StartsWith("PASS 1 of 1 steps checked"));
}

TEST(CliExamples, DoubleIsTheProgramOfTheReadme) {
    const Ending ending = run_tessera({"run", example("double"), "--quiet"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, testing::StartsWith("PASS 1 of 1 steps checked"));
}

TEST(CliExamples, OwnBmmStandsInForTheLayersProjections) {
    const Ending ending = run_tessera({"run", example("own_bmm_in_moe_v2"), "--quiet"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, testing::StartsWith("PASS 11 of 11 steps checked"));
}

TEST(CliNewOp, WritesAnOpThatPasses) {
    const ScratchFolder folder;
    ASSERT_EQ(run_tessera({"new", "op", "my_op"}, folder.path()).exit_code, 0);

    const Ending ending = run_tessera({"run", "my_op.yaml", "--quiet"}, folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, testing::StartsWith("PASS 1 of 1 steps checked"));
}

TEST(CliNewOp, RefusesAnOpOfTheTree) {
    const ScratchFolder folder;

    const Ending ending = run_tessera({"new", "op", "copy"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: new op copy: Tessera has an op of that name, and yours would hide it\n");
}

TEST(CliNewOp, RefusesANameThatIsNoNamespace) {
    const ScratchFolder folder;
    for (const std::string name : {"class", "int", "std"}) {
        const Ending ending = run_tessera({"new", "op", name}, folder.path());

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.err, "tessera: new op: invalid op name '" + name +
                                  "', which C++ or Tessera's sources use; allowed: a name that can "
                                  "be a namespace in tessera::ops\n");
    }
}

}  // namespace
}  // namespace tessera::test
