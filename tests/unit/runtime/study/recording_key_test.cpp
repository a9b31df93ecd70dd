// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "runtime/study/run_sweep.hpp"

namespace tessera::sweep {
namespace {

std::string key_with(const std::string& set, Checks checks = Checks::Ignored) {
    const std::filesystem::path configs = std::filesystem::path(TESSERA_SOURCE_DIR) / "configs";
    const std::array folders{configs};
    std::vector<std::string> sets;
    if (!set.empty()) {
        sets.push_back(set);
    }
    return recording_key(config::load_run(configs / "runs/moe_v2_tiny.yaml", sets, folders),
                         checks);
}

TEST(RecordingKey, IsTheSameWhereOnlyTimesDiffer) {
    const std::string plain = key_with("");

    EXPECT_EQ(key_with("arch.timing.dram.read_latency=99 cycles"), plain);
    EXPECT_EQ(key_with("arch.clock=0.9 GHz"), plain);
    EXPECT_EQ(key_with("host.threads=3"), plain);
    EXPECT_EQ(key_with("verify.min_pcc=0.5"), plain);
}

TEST(RecordingKey, DiffersWhereKernelsMightDoOtherwise) {
    const std::string plain = key_with("");

    for (const char* set : {"set.moe_bmm.k_block=2", "seed=2", "mesh.shape=[1,4]",
                            "arch.l1.size=1 MiB", "machine.noc_delivery=random"}) {
        EXPECT_NE(key_with(set), plain) << set;
    }
}

TEST(RecordingKey, CountsWhatIsVerifiedIfValuesAreCompared) {
    EXPECT_NE(key_with("verify.min_pcc=0.5", Checks::Compared), key_with("", Checks::Compared));
}

}  // namespace
}  // namespace tessera::sweep
