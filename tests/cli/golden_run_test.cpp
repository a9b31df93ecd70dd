// SPDX-License-Identifier: Apache-2.0
// Each V2 golden file through the binary: inputs come from the file, outputs are compared with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/ops/v2_golden.hpp"

namespace tessera::test {
namespace {

using tessera::testing::V2Golden;

struct GoldenRun {
    const char* file;
    const char* schedule;
    const char* mesh;

    friend void PrintTo(const GoldenRun& run, std::ostream* out) {
        *out << run.file << " " << run.schedule << " on " << run.mesh;
    }
};

std::string name_of_run(const ::testing::TestParamInfo<GoldenRun>& run) {
    return std::string(run.param.file) + "_" + run.param.schedule;
}

class CliGolden : public ::testing::TestWithParam<GoldenRun> {
protected:
    /// Runs the layer and returns the path of its outputs.
    [[nodiscard]] std::string run(const std::string& threads) const {
        std::string outputs = folder_.file("out" + threads + ".safetensors");
        const Ending ending = run_tessera(
            {"run", "moe_v2_tiny", "--inputs", golden_path(GetParam().file), "--outputs", outputs,
             "--threads", threads, "--set", std::string("mesh.shape=") + GetParam().mesh, "--set",
             std::string("set.moe_bmm.schedule=") + GetParam().schedule});
        EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
        EXPECT_THAT(ending.out, ::testing::HasSubstr("\nPASS "));
        return outputs;
    }
    V2Golden golden_{GetParam().file};
    ScratchFolder folder_;
};

TEST_P(CliGolden, GivesTheSameBytesAtOneAndTwoThreads) {
    const std::string one = bytes_of(run("1"));

    EXPECT_GT(one.size(), 1000U);
    EXPECT_TRUE(one == bytes_of(run("2")));
}

TEST_P(CliGolden, RoutesAndScattersExactly) {
    golden_.expect_exact_tables(SafetensorsFile(run("2")));
}

TEST_P(CliGolden, StaysWithinToleranceOfTheExactChain) {
    golden_.expect_exact_chain(SafetensorsFile(run("2")));
}

TEST_P(CliGolden, StaysWithinToleranceOfTheStagedChain) {
    const SafetensorsFile outputs(run("1"));

    golden_.expect_staged_chain(outputs, tessera::testing::kStagedNames);
    golden_.expect_staged_final(outputs);
}

// Rows of devices and, if there are several, columns of devices.
INSTANTIATE_TEST_SUITE_P(V2, CliGolden,
                         ::testing::Values(GoldenRun{"v2_d1_basic", "multi_core", "[1,1]"},
                                           GoldenRun{"v2_d1_basic", "single_core", "[1,1]"},
                                           GoldenRun{"v2_d2_decode_t1", "multi_core", "[1,2]"},
                                           GoldenRun{"v2_d2_decode_t1", "single_core", "[2,1]"},
                                           GoldenRun{"v2_d2_uneven", "multi_core", "[2,1]"},
                                           GoldenRun{"v2_d2_uneven", "single_core", "[1,2]"},
                                           GoldenRun{"v2_d4_mid", "multi_core", "[2,2]"},
                                           GoldenRun{"v2_d4_mid", "single_core", "[1,4]"},
                                           GoldenRun{"v2_d4_zipf", "multi_core", "[1,4]"},
                                           GoldenRun{"v2_d4_zipf", "single_core", "[4,1]"},
                                           GoldenRun{"v2_d8_one_expert", "multi_core", "[2,4]"},
                                           GoldenRun{"v2_d8_one_expert", "single_core", "[1,8]"}),
                         name_of_run);

}  // namespace
}  // namespace tessera::test
