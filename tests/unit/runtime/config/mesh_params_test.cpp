// SPDX-License-Identifier: Apache-2.0
// Params of a run file whose mesh another shape replaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "runtime/config/load.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::test {
namespace {

/// Rows of devices are pcp * dp; each device has a row of x.
constexpr const char* kRun = R"(mesh:
  device: wormhole_n150
  shape: [rows, tp]
params:
  tp: {value: 2, range: [1, 8]}
  dp: {value: 2, range: [1, 8]}
  pcp: 1
  rows: {value: pcp * dp}
groups:
  row: {box: [1, tp]}
tensors:
  x: {shape: [rows * tp * 32, 32], dtype: bfloat16, layout: tile, split: {axis: 0}}
steps:
  - {name: double, op: scale, in: [x], out: [y], set: {factor: 2}}
)";

/// Returns "tp dp" and the shape of the mesh of the run with these options.
std::string params_with(std::vector<std::string> sets) {
    const ScratchFolder folder;
    (void)folder.write("run.yaml", kRun);
    const std::array folders{std::filesystem::path(TESSERA_SOURCE_DIR) / "configs"};
    const config::LoadedRun loaded = config::load_run(folder.file("run.yaml"), sets, folders);
    const auto value_of = [&](const std::string& name) {
        return config::find(loaded.resolved, "params." + name)->text;
    };
    return value_of("tp") + " " + value_of("dp") + " " +
           config::find(loaded.resolved, "mesh.shape")->text;
}

TEST(MeshParams, FollowAnotherShape) {
    EXPECT_EQ(params_with({}), "2 2 [2, 2]");
    EXPECT_EQ(params_with({"mesh.shape=[3, 4]"}), "4 3 [3, 4]");
}

TEST(MeshParams, OfAProductAreItsLastFactor) {
    EXPECT_EQ(params_with({"mesh.shape=[4, 1]", "params.pcp=2"}), "1 2 [4, 1]");
    EXPECT_EQ(params_with({"params.pcp=2", "mesh.shape=[4, 1]"}), "1 2 [4, 1]");
}

TEST(MeshParams, WithAnOverrideKeepIt) {
    EXPECT_EQ(params_with({"params.tp=2", "mesh.shape=[1, 4]"}), "2 1 [1, 4]");
    EXPECT_EQ(params_with({"mesh.shape=[1, 4]", "params.tp=2"}), "2 1 [1, 4]");
}

TEST(MeshParams, RefuseRowsThatTheOtherFactorsDoNotDivide) {
    EXPECT_THAT(
        [] {
            (void)params_with({"mesh.shape=[3, 2]", "params.pcp=2"});
        },
        testing::ThrowsMessage<ConfigError>(
            "--set mesh.shape=[3, 2]: 3 is not a multiple of pcp, which is 2; allowed: "
            "multiples of it, since the file states this extent as pcp * dp"));
}

TEST(MeshParams, KeepTheirRange) {
    EXPECT_THAT([] { (void)params_with({"mesh.shape=[1, 16]"}); },
                testing::ThrowsMessage<ConfigError>(
                    testing::HasSubstr("params.tp: 16 is out of range, allowed: 1 to 8")));
}

}  // namespace
}  // namespace tessera::test
