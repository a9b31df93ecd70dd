// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "tests/errors/config/config_mistake.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::config {
namespace {

const std::filesystem::path kRuns = std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "runs";

LoadedRun load(const std::string& name, const std::vector<std::string>& sets = {}) {
    return load_run(kRuns / (name + ".yaml"), sets);
}

TEST(LoadRun, ReadsTheDefaultRun) {
    const LoadedRun loaded = load("moe_v2");

    EXPECT_EQ(loaded.run.name, "moe_v2");
    EXPECT_EQ(loaded.run.mesh.shape, (MeshShape{1, 8}));
    EXPECT_EQ(loaded.run.mesh.device, "wormhole_n150");
    EXPECT_EQ(loaded.pipeline.steps.size(), 11U);
    EXPECT_EQ(loaded.pipeline.outputs.size(), 12U);
    // 128 experts over 8 devices, each of 2048 × 768 weights.
    const auto* weights = find_tensor(loaded.pipeline, "gate_weights");
    ASSERT_NE(weights, nullptr);
    EXPECT_EQ(device_spec(*weights, 8).shape, (Shape{16, 2048, 768}));
}

TEST(LoadRun, PlansWhatEachStepMakes) {
    const LoadedRun loaded = load("moe_v2");
    const auto step =
        std::ranges::find(loaded.pipeline.steps, "gate", &pipeline::PipelineStep::name);

    EXPECT_EQ(step->output_plans.at(0).spec,
              (TensorSpec{{16, 128, 768}, DataFormat::Float16_b, Layout::TILE}));
}

TEST(LoadRun, LaysAFileOverTheOneItExtends) {
    const LoadedRun loaded = load("moe_v2_tiny");

    EXPECT_EQ(find(loaded.resolved, "params.top_k")->text, "3");
    EXPECT_EQ(find(loaded.resolved, "tensors.selected_experts.origin.kind")->text, "hot_and_empty");
    EXPECT_EQ(loaded.pipeline.steps.size(), 11U);
}

TEST(LoadRun, ReadsEveryShippedRunAtAnyMeshThatHoldsItsExperts) {
    for (const std::string& name : names_in(kRuns)) {
        if (!name.starts_with("moe_v2") && name != "deepseek_v3_layer") {
            continue;  // its collectives or tensors require a mesh of one row
        }
        for (const std::string shape : {"[1,1]", "[1,4]", "[2,4]", "[4,2]"}) {
            if (name == "deepseek_v3_layer" && shape == "[1,1]") {
                continue;  // 256 experts of 84 MiB exceed a device's DRAM
            }
            EXPECT_NO_THROW((void)load(name, {"mesh.shape=" + shape})) << name << shape;
        }
    }
}

TEST(LoadRun, ReadsEveryShippedRun) {
    for (const std::string& name : names_in(kRuns)) {
        EXPECT_NO_THROW((void)load(name)) << name;
    }
}

TEST(LoadRun, TakesTheArchFileThatTheDeviceNames) {
    EXPECT_EQ(load("moe_v2").arch.name, "wormhole_n150");
    EXPECT_EQ(load("moe_v2", {"mesh.device=blackhole_p150"}).arch.name, "blackhole_p150");
}

TEST(LoadRun, SaysWhereEachValueCameFrom) {
    const LoadedRun loaded = load("moe_v2_tiny", {"mesh.shape=[1,4]"});

    const std::string file = (kRuns / "moe_v2_tiny.yaml").string();
    EXPECT_EQ(to_string(find(loaded.resolved, "mesh.shape")->origin), "--set mesh.shape=[1,4]");
    EXPECT_EQ(to_string(find(loaded.resolved, "params.tokens")->origin), file + ":7:18");
    EXPECT_EQ(to_string(find(loaded.resolved, "steps.gate.set.split_by")->origin), "default");
}

TEST(LoadRun, OverridesTheArchBelowItsKey) {
    const LoadedRun loaded = load("moe_v2_tiny", {"arch.l1.size=1 MiB"});

    EXPECT_EQ(loaded.arch.l1.size, Bytes{1048576});
    EXPECT_EQ(find(loaded.resolved, "arch.l1.size")->fact->source, "--set arch.l1.size=1 MiB");
}

TEST(LoadRun, DropsTheSourceOfAValueThatIsOverriddenByItsFullPath) {
    const LoadedRun loaded = load("moe_v2_tiny", {"arch.l1.size.value=1 MiB"});

    EXPECT_EQ(loaded.arch.l1.size, Bytes{1048576});
    EXPECT_EQ(find(loaded.resolved, "arch.l1.size")->fact->source,
              "--set arch.l1.size.value=1 MiB");
}

TEST(LoadRun, LetsTheFileOverrideTheArchWithASource) {
    EXPECT_EQ(test::refusal_of_run(std::string(test::kRun) +
                                   "arch: {l1: {size: {value: 1 MiB, source: \"a test\"}}}\n"),
              "");
    EXPECT_EQ(test::refusal_of_run(std::string(test::kRun) + "arch: {l1: {size: 1 MiB}}\n"),
              "run.yaml:12:19: arch.l1.size: expected {value: …, source: …}, found '1 MiB'");
}

TEST(LoadRun, NamesTheOriginOfAnOverrideThatIsNoSet) {
    const std::vector<Override> shapes{{"params.tokens", "33", "in.safetensors"}};

    const LoadedRun loaded = load_run(kRuns / "moe_v2_tiny.yaml", shapes);

    EXPECT_EQ(find(loaded.resolved, "params.tokens")->text, "33");
    EXPECT_EQ(to_string(find(loaded.resolved, "params.tokens")->origin), "in.safetensors");
}

TEST(LoadRun, JudgesAMeshExtentByARangeOverWhatComesWithTheMesh) {
    const std::string run =
        test::replaced(test::replaced(test::kRun, "[1, 2]", "[1, wide]"), "rows: 64",
                       "rows: 64\n  wide: {value: 4, range: [1, grid.rows]}");

    EXPECT_EQ(test::refusal_of_run(run), "");
    EXPECT_EQ(test::refusal_of_run(run, {"params.wide=9"}),
              "--set params.wide=9: params.wide: 9 is out of range, allowed: 1 to grid.rows (8)");
}

TEST(LoadRun, TakesADeviceByItsPathThatExtendsAShippedOne) {
    const ScratchFolder folder;
    (void)folder.write("mine.yaml",
                       "extends: wormhole_n150\n"
                       "name: mine\n"
                       "l1: {size: {value: 1 MiB, source: a test}}\n");
    const std::array folders{kRuns.parent_path()};

    const LoadedRun loaded = load_run(
        folder.write("run.yaml", test::replaced(test::kRun, "wormhole_n150", "./mine.yaml")),
        std::span<const Override>(), folders);

    EXPECT_EQ(loaded.arch.name, "mine");
    EXPECT_EQ(loaded.arch.l1.size, Bytes{1048576});
    EXPECT_EQ(loaded.arch.workers.compute, (GridSize{8, 8}));
}

TEST(LoadArch, TakesOverridesByTheKeysOfTheFile) {
    const std::vector<Override> overrides{parse_set("noc.flit=64 B")};

    const LoadedArch loaded = load_arch(kRuns / ".." / "arch" / "wormhole_n150.yaml", overrides);

    EXPECT_EQ(loaded.arch.noc.flit, Bytes{64});
}

TEST(NamesIn, AFolderThatIsNotThereAreNone) {
    EXPECT_TRUE(names_in("/nowhere").empty());
}

}  // namespace
}  // namespace tessera::config
