// SPDX-License-Identifier: Apache-2.0
// From the dimensions of a model to a run: dispatch, memory and text.
#include "runtime/model/layer_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "runtime/config/load.hpp"
#include "runtime/model/yaml_text.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::filesystem::path kConfigs = std::string(TESSERA_SOURCE_DIR) + "/configs";

ReadModel shipped(const std::string& name) {
    return read_model(kConfigs / "models" / (name + ".json"));
}

std::string param_of(const LayerRun& run, const std::string& name) {
    const auto found = std::ranges::find(run.values, "params." + name, &PathValue::path);
    return found == run.values.end() ? "absent" : found->value;
}

config::LoadedRun loaded(const LayerRun& run) {
    const std::array folders{kConfigs};
    return config::load_run(kConfigs / "runs" / (run.extends + ".yaml"), overrides_of(run),
                            folders);
}

// In predicted runs all-to-all in batches takes 0.85 of the time of all-gather at Granite's size on 32
// devices, and 1.10 at Qwen3-30B's on two.
TEST(LayerRun, DispatchFollowsFromTheSizesOfTheModel) {
    const auto dispatch = [](const char* model, std::uint32_t devices, std::uint32_t tokens) {
        return param_of(layer_run(shipped(model), {.columns = devices, .tokens = tokens}), "pf");
    };

    EXPECT_EQ(dispatch("granite-3.0-1b-a400m", 1, 32), "none");
    EXPECT_EQ(dispatch("granite-3.0-1b-a400m", 32, 32), "all_to_all_batched");
    EXPECT_EQ(dispatch("granite-3.0-1b-a400m", 4, 512), "all_gather_reduce_scatter");
    EXPECT_EQ(dispatch("qwen3-30b-a3b", 2, 256), "all_gather_reduce_scatter");
}

// A '#' that follows a word at once is part of that word.
TEST(YamlText, SeparatesAValueFromItsCommentAlsoIfItIsLong) {
    const std::string path = "\"/a/folder/with/a/rather/long/name/of/a/device.yaml\"";

    EXPECT_EQ(yaml_text({{"mesh.device", path, "--device"}, {"mesh.shape", "[1, 2]", "--mesh"}}),
              "mesh:\n"
              "  device: " +
                  path +
                  " # --device\n"
                  "  shape: [1, 2]                           # --mesh\n");
}

// Without the given part, 512 tokens on 8 devices get all_gather_reduce_scatter with grouped, which
// takes no batches.
TEST(LayerRun, ChoosesThePartThatFitsAGivenOne) {
    const LayerDemand demand{.columns = 8, .tokens = 512};
    LayerDemand with_dispatch = demand;
    with_dispatch.prepare_finalize = "all_to_all_batched";
    LayerDemand with_experts = demand;
    with_experts.experts = "batched_masked";

    const LayerRun free = layer_run(shipped("granite-3.0-1b-a400m"), demand);
    const LayerRun dispatched = layer_run(shipped("granite-3.0-1b-a400m"), with_dispatch);
    const LayerRun computed = layer_run(shipped("granite-3.0-1b-a400m"), with_experts);

    EXPECT_EQ(param_of(free, "experts_by"), "grouped");
    EXPECT_THAT(free.assumptions, Contains(StartsWith("dispatch all_gather_reduce_scatter: ")));
    EXPECT_EQ(param_of(dispatched, "experts_by"), "batched_by_shape");
    EXPECT_THAT(dispatched.assumptions, Not(Contains(StartsWith("dispatch "))));
    EXPECT_EQ(param_of(computed, "pf"), "all_to_all_batched");
}

// 16 experts of 3·2048·768 parameters of two bytes are 144 MiB; the router has 128·2048.
TEST(LayerRun, MemoryHoldsTheWeightsOfOneDevice) {
    const LayerRun run = layer_run(shipped("qwen3-30b-a3b"), {.columns = 8, .tokens = 32});

    const DeviceMemory memory = device_memory(loaded(run));

    EXPECT_EQ(memory.weights, 16ULL * 3 * 2048 * 768 * 2 + 128ULL * 2048 * 2);
    EXPECT_EQ(memory.cache, 0U);
    EXPECT_EQ(memory.dram, 12ULL << 30U);
}

// Messages name the key after the origin, so that the origin does not.
TEST(LayerRun, OriginsOfOverridesNameTheOptionOrTheKeyOfTheModel) {
    const auto overrides = overrides_of(layer_run(shipped("qwen3-30b-a3b"), {.columns = 8}));
    const auto origin_of = [&](const char* path) {
        return std::ranges::find(overrides, path, &config::Override::path)->origin;
    };

    EXPECT_EQ(origin_of("mesh.device"), "tessera model (--device)");
    EXPECT_EQ(origin_of("params.hidden"), "tessera model (hidden_size)");
}

TEST(LayerRun, TextStatesEachParamWithItsOrigin) {
    const ReadModel read = shipped("deepseek-v3");
    const LayerRun run = layer_run(read, {.rows = 4, .columns = 8, .tokens = 64});

    const std::string text = run_file_text(read, run);

    EXPECT_THAT(text, HasSubstr("extends: model_moe\n"));
    EXPECT_THAT(text, HasSubstr("  shape: [4, 8]                           # --mesh\n"));
    EXPECT_THAT(text, HasSubstr("  experts: 256                            # n_routed_experts\n"));
    EXPECT_THAT(text,
                HasSubstr("  routed_scaling_factor: 2.5              # routed_scaling_factor\n"));
    EXPECT_THAT(text, HasSubstr("# Assumed: experts have codes as published (fp8_block); bfloat16: "
                                "--set params.quantisation=none.\n"));
    EXPECT_THAT(text, HasSubstr("  quantisation: fp8_block                 # quantization_config, "
                                "fp8\n"));
}

// Llama 4 multiplies the expert's input by the sigmoid of one logit.
TEST(LayerRun, WeighsTheInputOfLlama4) {
    const LayerRun run = layer_run(shipped("llama-4-scout"), {});

    EXPECT_EQ(param_of(run, "scoring"), "llama4");
    EXPECT_EQ(param_of(run, "renormalise"), "false");
    EXPECT_EQ(param_of(run, "shared_intermediate"), "8192");
}

}  // namespace
}  // namespace tessera::model
