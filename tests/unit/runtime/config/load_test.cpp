// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/load.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::config {
namespace {

const std::filesystem::path kRuns = std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "runs";

LoadedRun load(const std::string& name, const std::vector<std::string>& sets = {}) {
    return load_run(kRuns / (name + ".yaml"), sets);
}

TEST(LoadRun, ReadsTheDefaultRun) {
    const RunSpec run = load("moe_v2").run;

    EXPECT_EQ(run.name, "moe_v2");
    EXPECT_EQ(run.mesh.shape, (MeshShape{1, 8}));
    EXPECT_EQ(run.mesh.device, "wormhole_n150");
    EXPECT_EQ(run.workload.hidden, 2048U);
    EXPECT_EQ(run.workload.intermediate, 768U);
    EXPECT_EQ(run.workload.experts, 128U);
    EXPECT_EQ(run.workload.top_k, 8U);
    EXPECT_EQ(run.workload.tokens, 128U);
    EXPECT_EQ(run.workload.routing.kind, RoutingKind::Zipf);
    EXPECT_EQ(run.ops.moe_bmm.schedule, BmmSchedule::MultiCore);
}

TEST(LoadRun, ReadsEveryShippedRunAtAnyMeshThatHoldsItsExperts) {
    for (const std::string& name : names_in(kRuns)) {
        for (const std::string shape : {"[1,1]", "[1,4]", "[2,4]", "[4,2]"}) {
            if (name == "deepseek_v3_layer" && shape == "[1,1]") {
                continue;  // 256 experts take more than a device's DRAM
            }
            EXPECT_NO_THROW((void)load(name, {"mesh.shape=" + shape})) << name << shape;
        }
    }
}

TEST(LoadRun, ShipsTheRunsOfTheReadme) {
    EXPECT_EQ(names_in(kRuns),
              (std::vector<std::string>{"copy", "deepseek_v3_layer", "exp", "matmul_640", "moe_v2",
                                        "moe_v2_4x8", "moe_v2_single_core", "moe_v2_tiny",
                                        "reshard", "vector_add"}));
}

TEST(LoadRun, TakesTheArchFileThatTheDeviceNames) {
    EXPECT_EQ(load("moe_v2").arch.name, "wormhole_n150");
    EXPECT_EQ(load("moe_v2", {"mesh.device=blackhole_p150"}).arch.name, "blackhole_p150");
}

TEST(LoadRun, SaysWhereEachValueCameFrom) {
    const LoadedRun loaded = load("moe_v2_tiny", {"mesh.shape=[1,4]"});

    const std::string file = (kRuns / "moe_v2_tiny.yaml").string();
    EXPECT_EQ(to_string(find(loaded.resolved, "mesh.shape")->origin), "--set mesh.shape=[1,4]");
    EXPECT_EQ(to_string(find(loaded.resolved, "workload.tokens")->origin), file + ":8:11");
    EXPECT_EQ(to_string(find(loaded.resolved, "ops.moe_bmm.k_block")->origin), "default");
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
              "run.yaml:10:19: arch.l1.size: expected {value: …, source: …}, found '1 MiB'");
}

TEST(LoadRun, NamesTheOriginOfAnOverrideThatIsNoSet) {
    const std::vector<Override> shapes{{"workload.tokens", "33", "in.safetensors"}};

    const LoadedRun loaded = load_run(kRuns / "moe_v2_tiny.yaml", shapes);

    EXPECT_EQ(loaded.run.workload.tokens, 33U);
    EXPECT_EQ(to_string(find(loaded.resolved, "workload.tokens")->origin), "in.safetensors");
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
