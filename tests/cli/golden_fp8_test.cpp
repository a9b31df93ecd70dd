// SPDX-License-Identifier: Apache-2.0
// Golden files of routers, of the FP8 pipeline and of quantisation through the binary. Shapes come
// from the file. Every output tensor of the file is compared as its index says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/ops/golden_compare.hpp"

namespace tessera::test {
namespace {

using golden::GoldenFile;
using tessera::testing::golden_tensor;
using tessera::testing::keeps_to;

struct Fp8Run {
    std::string config;
    std::string file;
    std::uint32_t tile = 0;  ///< 0: the pipeline has none

    friend void PrintTo(const Fp8Run& run, std::ostream* out) {
        *out << run.config << " " << run.file << " " << run.tile;
    }
};

class CliFp8Golden : public ::testing::TestWithParam<Fp8Run> {
protected:
    /// Returns the file's parameters as its index names them, and the token tile of this run.
    [[nodiscard]] std::vector<std::string> params() const {
        std::vector<std::string> arguments;
        for (const auto& [name, value] : golden_.entry().at("params").items()) {
            if (!value.is_array()) {
                const std::string text =
                    value.is_string() ? value.get<std::string>() : value.dump();
                arguments.insert(arguments.end(), {"--set", "params." + name + "=" + text});
            }
        }
        if (GetParam().tile != 0) {
            arguments.insert(arguments.end(),
                             {"--set", "params.tile=" + std::to_string(GetParam().tile)});
        }
        return arguments;
    }
    /// Runs the pipeline and returns the path of its outputs.
    [[nodiscard]] std::string run(const std::string& name,
                                  const std::vector<std::string>& more) const {
        const std::string outputs = folder_.file(name + ".safetensors");
        std::vector<std::string> arguments{"run",       GetParam().config,
                                           "--inputs",  golden_path(GetParam().file),
                                           "--outputs", outputs};
        const auto own = params();
        arguments.insert(arguments.end(), own.begin(), own.end());
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Ending ending = run_tessera(arguments);
        EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
        EXPECT_THAT(ending.out, ::testing::HasSubstr("\nPASS "));
        return outputs;
    }
    /// Returns whether the tensor belongs to this run; tensors of other token tiles do not. Padding
    /// rows of an expert are zeros in the file and undefined here. The same values are also
    /// compared by token and expert.
    [[nodiscard]] bool is_compared(const nlohmann::json& tensor) const {
        const auto name = tensor.at("name").get<std::string>();
        const std::string tile = "tile" + std::to_string(GetParam().tile) + ".";
        const bool is_of_run = name.rfind("tile", 0) != 0 || name.rfind(tile, 0) == 0;
        const bool has_padding =
            tensor.value("compare", "").find(" on valid ") != std::string::npos;
        return tensor.at("role") == "output" && is_of_run && !has_padding;
    }

    GoldenFile golden_{GetParam().file};
    ScratchFolder folder_;
};

TEST_P(CliFp8Golden, KeepsToEveryTensorOfTheFileWithNanInAllPadding) {
    const SafetensorsFile outputs(run("out", {"--set", "machine.unwritten_memory=nan"}));

    std::size_t num_compared = 0;
    for (const nlohmann::json& tensor : golden_.entry().at("tensors")) {
        if (is_compared(tensor)) {
            const auto name = tensor.at("name").get<std::string>();
            EXPECT_TRUE(keeps_to(golden_, name, outputs.read(name)));
            ++num_compared;
        }
    }
    EXPECT_GT(num_compared, 3U);
}

TEST_P(CliFp8Golden, GivesTheSameBytesAtAnyNumberOfThreadsAndUnderEveryDelivery) {
    const std::string one = bytes_of(run("one", {"--threads", "1"}));

    EXPECT_GT(one.size(), 1000U);
    EXPECT_TRUE(one == bytes_of(run("two", {"--threads", "2"})));
    for (const char* delivery : {"at_issue", "random"}) {
        EXPECT_TRUE(one == bytes_of(run(delivery, {"--set", std::string("machine.noc_delivery=") +
                                                                delivery})))
            << delivery;
    }
}

std::vector<Fp8Run> all_runs() {
    std::vector<Fp8Run> runs;
    for (const char* file :
         {"routing_dsv3_256", "routing_dsv3_32_widebias", "routing_dsv3_ties",
          "routing_gate_linear", "routing_softmax_64", "routing_softmax_grouped"}) {
        runs.push_back({"moe_routing", file});
    }
    for (const std::uint32_t tile : {8U, 16U, 32U, 64U, 128U}) {
        runs.push_back({"moe_fp8", "fp8moe_all_local", tile});
        runs.push_back({"moe_fp8", "fp8moe_ep_shard", tile});
    }
    runs.push_back({"moe_fp8", "fp8moe_seed_gate_first", 8});
    runs.push_back({"moe_fp8", "fp8moe_seed_gate_first", 16});
    runs.push_back({"activations", "activations"});
    runs.push_back({"fp8_quant", "fp8_quant_activations"});
    runs.push_back({"fp8_quant_blocks", "fp8_quant_blocks"});
    return runs;
}

INSTANTIATE_TEST_SUITE_P(Files, CliFp8Golden, ::testing::ValuesIn(all_runs()), [](const auto& run) {
    return run.param.file + (run.param.tile == 0 ? "" : "_tile" + std::to_string(run.param.tile));
});

/// Returns the predicted time of each step.
std::vector<nlohmann::json> device_times(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", "moe_fp8", "--json", "--set",
                                       "params.by_expanded=none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ending ending = run_tessera(arguments);
    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    std::vector<nlohmann::json> times;
    const nlohmann::json record = nlohmann::json::parse(ending.out);
    for (const auto& step : record.at("steps")) {
        times.push_back(step.at("device_time"));
    }
    return times;
}

// An expert's tokens depend on logits, which are floats. Floats that select experts move in
// timing-only runs as well.
TEST(CliFp8, TakesTheSameTimeWithAndWithoutValues) {
    const auto times = device_times({});

    EXPECT_EQ(times.size(), 6U);
    EXPECT_EQ(device_times({"--timing-only"}), times);
}

// A token's result does not depend on the values next to it.
TEST(CliFp8, NanInPaddingReachesNoResult) {
    const ScratchFolder folder;
    const auto final_with = [&](const std::string& memory) {
        const Ending ending =
            run_tessera({"run", "moe_fp8", "--quiet", "--outputs", folder.file(memory), "--set",
                         "params.by_expanded=none", "--set", "params.tile=32", "--set",
                         "machine.unwritten_memory=" + memory});
        EXPECT_EQ(ending.exit_code, 0) << ending.err;
        return SafetensorsFile(folder.file(memory)).read("final_bf16").bytes;
    };

    EXPECT_EQ(final_with("nan"), final_with("as_left"));
}

// Five tensors, each needed from one step to the next: two exist at a time.
TEST(CliFp8, SaysTheSizeOfItsOneWorkspace) {
    const Ending ending = run_tessera(
        {"run", "moe_fp8", "--json", "--timing-only", "--set", "params.by_expanded=none"});

    const auto workspaces = nlohmann::json::parse(ending.out).at("workspaces");
    ASSERT_EQ(workspaces.size(), 1U);
    EXPECT_EQ(workspaces[0].at("name"), "moe");
    EXPECT_EQ(workspaces[0].at("tensors").size(), 5U);
    EXPECT_LT(workspaces[0].at("bytes"), workspaces[0].at("bytes_apart"));
}

TEST(CliFp8, RunsOnTwoDevicesOfTheOtherModelWithItsOwnAlignment) {
    const Ending ending = run_tessera({"run", "moe_fp8", "--quiet", "--set",
                                       "mesh.device=blackhole_p150", "--set", "mesh.shape=[1, 2]"});

    EXPECT_EQ(ending.err, "");
    EXPECT_EQ(ending.exit_code, 0) << ending.out;
}

TEST(CliFp8, AScaleOfAnotherShapeInAFileIsToldTheExpectedOne) {
    const Ending ending =
        run_tessera({"run", "moe_fp8", "--inputs", golden_path("fp8moe_all_local"), "--set",
                     "tensors.hidden_states_scale.shape=[T, H / 128]"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                ::testing::HasSubstr("activation_scale (hidden_states_scale) is (20,2) float32 "
                                     "ROW_MAJOR; allowed: (2,20) float32 ROW_MAJOR"));
}

TEST(CliFp8, ABlockSizeThatDoesNotDivideIsNamed) {
    const Ending ending = run_tessera({"run", "moe_fp8", "--set", "params.H=200"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, ::testing::HasSubstr("128 does not divide 200"));
}

// The weights next to the ids have a tolerance within which a wrong id would pass.
TEST(CliFp8, AnIdThatIsOffByOneFailsItsCheck) {
    const ScratchFolder folder;
    const std::string kernels =
        std::string(TESSERA_SOURCE_DIR) + "/ops/moe_select_experts/kernels/";
    std::string text = bytes_of(kernels + "select.cpp");
    const std::string last = "halves[k] = to_bfloat16(weights[k]);";
    ASSERT_NE(text.find(last), std::string::npos);
    text.insert(text.find(last) + last.size(), " ids[k] ^= 1;");
    std::ofstream(folder.file("select.cpp")) << text;
    for (const char* header : {"exponential.hpp", "largest.hpp"}) {
        std::ofstream(folder.file(header)) << bytes_of(kernels + header);
    }

    const Ending ending =
        run_tessera({"run", "moe_routing", "--kernel",
                     "ops/moe_select_experts/kernels/select.cpp=" + folder.file("select.cpp")});

    EXPECT_EQ(ending.exit_code, 1);
    EXPECT_THAT(ending.out,
                ::testing::HasSubstr("topk_ids of device 0 at (0,0) differs from the reference"));
}

}  // namespace
}  // namespace tessera::test
