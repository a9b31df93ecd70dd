// SPDX-License-Identifier: Apache-2.0
// Golden files of sequence-parallel chunks and of a whole MoE layer through the binary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/ops/golden_compare.hpp"

namespace tessera::test {
namespace {

using golden::GoldenFile;
using tessera::testing::golden_tensor;

void add_param(const std::string& key, const nlohmann::json& value,
               std::vector<std::string>& arguments) {
    arguments.insert(arguments.end(), {"--set", "params." + key + "=" + value.dump()});
}

std::vector<std::string> run_of(const std::string& run, const std::string& stem,
                                const std::string& outputs, const std::string& threads,
                                const std::string& delivery) {
    return {"run",       run,
            "--inputs",  golden_path(stem),
            "--outputs", outputs,
            "--threads", threads,
            "--set",     "machine.noc_delivery=" + delivery,
            "--set",     "machine.unwritten_memory=nan"};
}

class CliGoldenChunks : public ::testing::TestWithParam<const char*> {};

TEST_P(CliGoldenChunks, GivesTheGoldenChunksOfEveryCase) {
    const GoldenFile file("sp_chunks");
    const ScratchFolder folder;
    auto arguments =
        run_of("sp_chunks", "sp_chunks", folder.file("out.safetensors"), "2", GetParam());
    const auto& cases = file.entry().at("params").at("cases");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        for (const auto& [key, value] : cases.at(i).items()) {
            add_param(key + std::to_string(i), value, arguments);
        }
    }

    const Ending ending = run_tessera(arguments);

    ASSERT_EQ(ending.exit_code, 0) << ending.err << ending.out;
    const SafetensorsFile outputs(folder.file("out.safetensors"));
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::string name = "c" + std::to_string(i) + ".chunks";
        EXPECT_TRUE(tessera::testing::keeps_to(file, name, outputs.read(name)));
    }
}

INSTANTIATE_TEST_SUITE_P(Deliveries, CliGoldenChunks,
                         ::testing::Values("at_issue", "at_barrier", "random"));

struct LayerRun {
    const char* name;
    std::vector<const char*> params;
    friend void PrintTo(const LayerRun& run, std::ostream* out) { *out << run.name; }
};

class CliGoldenLayer : public ::testing::TestWithParam<LayerRun> {
protected:
    [[nodiscard]] std::string run(const std::string& threads, const std::string& delivery) const {
        std::string outputs = folder_.file("out" + threads + delivery + ".safetensors");
        auto arguments = run_of("moe_layer", "layer_shared_sp", outputs, threads, delivery);
        for (const auto& [key, value] : golden_.entry().at("params").items()) {
            add_param(key, value, arguments);
        }
        for (const char* param : GetParam().params) {
            arguments.insert(arguments.end(), {"--set", std::string("params.") + param});
        }
        const Ending ending = run_tessera(arguments);
        EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
        return outputs;
    }
    GoldenFile golden_{"layer_shared_sp"};
    ScratchFolder folder_;
};

TEST_P(CliGoldenLayer, KeepsToEveryTensorOfTheFile) {
    const SafetensorsFile outputs(run("2", "random"));

    for (const auto& tensor : golden_.entry().at("tensors")) {
        if (tensor.at("role") == "output") {
            const std::string name = tensor.at("name");
            EXPECT_TRUE(tessera::testing::keeps_to(golden_, name, outputs.read(name)));
        }
    }
}

TEST_P(CliGoldenLayer, GivesTheSameBytesAtAnyThreadsAndDelivery) {
    const std::string bytes = bytes_of(run("1", "at_issue"));

    EXPECT_GT(bytes.size(), 1000U);
    EXPECT_TRUE(bytes == bytes_of(run("2", "at_barrier")));
    EXPECT_TRUE(bytes == bytes_of(run("2", "random")));
}

INSTANTIATE_TEST_SUITE_P(
    Dispatches, CliGoldenLayer,
    ::testing::Values(
        LayerRun{"AllGather", {}}, LayerRun{"AllGatherOverlapped", {"shared_experts=overlapped"}},
        LayerRun{"NaiveBroadcast", {"pf=naive_broadcast"}},
        LayerRun{"AllToAll", {"pf=all_to_all_contiguous", "experts=grouped_permuted"}},
        LayerRun{"AllToAllBatched", {"pf=all_to_all_batched", "experts=batched_masked"}}),
    [](const auto& run) { return run.param.name; });

}  // namespace
}  // namespace tessera::test
