// SPDX-License-Identifier: Apache-2.0
// Named groups of devices, tensors split over them, joined tensors, and parallel steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <optional>

#include "emu/base/bf16.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

/// Twelve rows with value i in row i, replicated on every device of a 2x4 mesh.
constexpr const char* kHead = R"yaml(mesh: {device: wormhole_n150, shape: [2, 4], topology: torus}
groups:
  tp: {box: [2, 2]}
  dp: {across: tp}
  ends: [[0, 3], [4, 7]]
tensors:
  x: {shape: [8, 2], dtype: int32, split: {axis: 0, over: tp}, origin: {index: "floor_div(i, 2)"}}
  y: {shape: [2, 2], dtype: int32, split: {axis: 0, over: dp}, origin: {index: "floor_div(i, 2)"}}
)yaml";

class NamedGroups : public ::testing::Test {
protected:
    [[nodiscard]] config::LoadedRun load(const std::string& text) const {
        const fs::path configs = fs::path(TESSERA_SOURCE_DIR) / "configs";
        const std::array folders{configs};
        return config::load_run(folder_.write("run.yaml", text), std::vector<std::string>(),
                                folders);
    }
    report::RunRecord run(const config::LoadedRun& loaded) {
        SafetensorsWriter outputs(folder_.file("out.safetensors"), output_tensors(loaded));
        RunFiles files;
        files.outputs = &outputs;
        report::RunRecord record = run_pipeline(loaded, {}, files);
        outputs.finish();
        results_.emplace(folder_.file("out.safetensors"));
        return record;
    }
    /// Returns the first element of each row.
    [[nodiscard]] std::vector<std::int32_t> rows(const std::string& name) const {
        const HostTensor tensor = results_->read(name);
        const std::size_t width = tensor.shape.back();
        std::vector<std::int32_t> firsts;
        for (std::size_t i = 0; i < tensor.as<std::int32_t>().size(); i += width) {
            firsts.push_back(tensor.as<std::int32_t>()[i]);
        }
        return firsts;
    }

    ScratchFolder folder_;
    std::optional<SafetensorsFile> results_;
};

TEST_F(NamedGroups, AreBoxesOfTheMeshAndTheDevicesAcrossThem) {
    const auto loaded = load(std::string(kHead) + R"yaml(steps:
  - {name: a, op: copy, in: [x], out: [p], devices: tp}
  - {name: b, op: copy, in: [x], out: [q], devices: dp}
  - {name: c, op: copy, in: [x], out: [r], devices: ends}
)yaml");

    EXPECT_THAT(loaded.pipeline.steps[0].groups,
                ElementsAre(ElementsAre(0, 1, 4, 5), ElementsAre(2, 3, 6, 7)));
    EXPECT_THAT(loaded.pipeline.steps[1].groups, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3),
                                                             ElementsAre(4, 6), ElementsAre(5, 7)));
    EXPECT_THAT(loaded.pipeline.steps[2].groups, ElementsAre(ElementsAre(0, 3), ElementsAre(4, 7)));
}

TEST_F(NamedGroups, HoldAllPartsOfATensorEach) {
    run(load(std::string(kHead) + R"yaml(steps:
  - {name: a, op: copy, in: [x], out: [p]}
  - {name: b, op: copy, in: [y], out: [q]}
)yaml"));

    EXPECT_THAT(rows("d0.p"), ElementsAre(0, 1));
    EXPECT_THAT(rows("d1.p"), ElementsAre(2, 3));
    EXPECT_THAT(rows("d2.p"), ElementsAre(0, 1));
    EXPECT_THAT(rows("d5.p"), ElementsAre(6, 7));
    EXPECT_THAT(rows("d7.p"), ElementsAre(6, 7));
    EXPECT_THAT(rows("d4.q"), ElementsAre(0));
    EXPECT_THAT(rows("d6.q"), ElementsAre(1));
}

TEST_F(NamedGroups, GatherAtTheSameTimeEachItsOwn) {
    const auto record = run(load(std::string(kHead) + R"yaml(steps:
  - {name: a, op: all_gather, in: [x], out: [p], devices: tp, set: {algorithm: ring, links: 4}}
  - {name: b, op: all_gather, in: [y], out: [q], devices: dp, set: {algorithm: ring, links: 4}}
outputs: [{tensor: p, as: p}, {tensor: p, as: "p${device}"}, {tensor: q, as: "q${device}"}]
)yaml"));

    EXPECT_TRUE(report::failed_steps(record).empty());
    EXPECT_THAT(rows("p"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(rows("p7"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(rows("q5"), ElementsAre(0, 1));
}

TEST_F(NamedGroups, FillTensorsOfAFileTogether) {
    run(load(std::string(kHead) + R"yaml(steps:
  - {name: a, op: copy, in: [x], out: [p]}
outputs:
  - {tensor: p, as: joined, join: tp, rows: 7}
  - {tensor: p, as: stacked, stack: tp}
)yaml"));

    EXPECT_THAT(rows("joined"), ElementsAre(0, 1, 2, 3, 4, 5, 6));
    EXPECT_EQ(results_->read("stacked").shape, (Shape{4, 2, 2}));
    EXPECT_THAT(rows("stacked"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(NamedGroups, TakeAJoinOfTensorsAsOne) {
    run(load(R"yaml(mesh: {device: wormhole_n150, shape: [1, 2]}
tensors:
  a: {shape: [2, 1, 3], dtype: int32, origin: {index: i}}
  b: {shape: [2, 2, 3], dtype: int32, origin: {index: i + 100}}
  ab: {shape: [2, 3, 3], dtype: int32, split: {axis: 0}, origin: {join: [a, b], axis: 1}}
steps:
  - {name: c, op: copy, in: [ab], out: [c]}
)yaml"));

    EXPECT_THAT(rows("d0.c"), ElementsAre(0, 100, 103));
    EXPECT_THAT(rows("d1.c"), ElementsAre(3, 106, 109));
}

TEST_F(NamedGroups, ShareALaunchWithAStepBeside) {
    const auto loaded = load(R"yaml(mesh: {device: wormhole_n150, shape: [1, 1]}
tensors:
  x: {shape: [64, 64], dtype: bfloat16, layout: tile}
steps:
  - {name: late, beside: second, op: copy, first_core: [0, 4], in: [x], out: [l], set: {grid: [8, 4]}}
  - {name: first, op: copy, in: [x], out: [f]}
  - {name: second, op: copy, in: [x], out: [s], set: {grid: [8, 4]}}
)yaml");

    ASSERT_EQ(loaded.pipeline.steps.size(), 3U);
    EXPECT_EQ(loaded.pipeline.steps[1].name, "late");
    EXPECT_EQ(num_launches(loaded.pipeline), 2U);
    EXPECT_TRUE(report::failed_steps(run(loaded)).empty());
}

}  // namespace
}  // namespace tessera::pipeline
