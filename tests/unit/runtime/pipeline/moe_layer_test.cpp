// SPDX-License-Identifier: Apache-2.0
// The MoE layer under TP × DP × EP through the library: against its golden file, and the same
// result for every distribution of tokens, experts and shared experts over devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <numeric>

#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/ops/golden_compare.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;
using Sets = std::vector<std::string>;

class MoeLayer : public ::testing::Test {
protected:
    [[nodiscard]] SafetensorsFile run(Sets sets, const InputFile& inputs = nullptr) const {
        const fs::path configs = fs::path(TESSERA_SOURCE_DIR) / "configs";
        const fs::path file = configs / "runs" / "moe_layer.yaml";
        const std::array folders{configs};
        sets.insert(sets.end(), {"machine.unwritten_memory=nan", "verify.level=off"});
        std::vector<config::Override> given = params_of(inputs, file, folders);
        std::ranges::move(config::parse_sets(sets), std::back_inserter(given));
        const config::LoadedRun loaded = config::load_run(file, given, folders);
        const std::string path = folder_.file("out" + std::to_string(++count_) + ".safetensors");
        SafetensorsWriter writer(path, output_tensors(loaded));
        RunFiles files;
        files.inputs = inputs;
        files.outputs = &writer;
        (void)run_pipeline(loaded, {}, files);
        writer.finish();
        return SafetensorsFile(path);
    }
    [[nodiscard]] HostTensor output(const Sets& sets) const { return run(sets).read("output"); }

    ScratchFolder folder_;
    mutable int count_ = 0;
};

/// Largest |error| / max(|expected|, rms) of sums in another order. Each device rounds its partial
/// sum to bfloat16, which changes it by 2^-9. On eight devices, whose partial sums are at most four
/// times the sum's rms, the error is at most 8 · 4 · 2^-9.
const CloseTolerance kOtherOrder{.pcc_min = 0.9999, .max_rel_err = 0x1p-5};

void expect_close(const HostTensor& result, const HostTensor& wanted) {
    ASSERT_EQ(result.shape, wanted.shape);
    const std::vector<ComparedPart> parts{{result, wanted}};
    EXPECT_TRUE(compare_close(parts, kOtherOrder).passes(kOtherOrder));
}

/// Returns `rows` rows from `first` on.
HostTensor rows_of(const HostTensor& tensor, std::uint32_t first, std::uint32_t rows) {
    const std::size_t width = tensor.bytes.size() / tensor.shape[0];
    HostTensor part{{rows, tensor.shape[1]}, tensor.format, {}};
    const auto begin = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(first * width);
    part.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(rows * width));
    return part;
}

Sets sizes(const std::string& tp, const std::string& dp, const std::string& tokens) {
    return {"params.tp=" + tp, "params.dp=" + dp, "params.T=" + tokens, "params.histograms=none"};
}

TEST_F(MoeLayer, KeepsToItsGoldenFile) {
    const golden::GoldenFile golden("layer_shared_sp");
    const auto inputs = std::make_shared<const SafetensorsFile>(golden::directory() +
                                                                "layer_shared_sp.safetensors");

    const SafetensorsFile outputs = run({"params.T=26", "host.threads=2"}, inputs);

    for (const auto& tensor : golden.entry().at("tensors")) {
        if (tensor.at("role") == "output") {
            const std::string name = tensor.at("name");
            EXPECT_TRUE(testing::keeps_to(golden, name, outputs.read(name)));
        }
    }
}

class MoeLayerGroups : public MoeLayer,
                       public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(MoeLayerGroups, GiveWhatOneDeviceGives) {
    const auto& [tp, dp] = GetParam();
    const std::string tokens = std::to_string(20 / std::stoi(dp));

    expect_close(output(sizes(tp, dp, tokens)), output(sizes("1", "1", "20")));
}

INSTANTIATE_TEST_SUITE_P(TpAndDp, MoeLayerGroups,
                         ::testing::Values(std::pair{"2", "1"}, std::pair{"1", "2"},
                                           std::pair{"2", "2"}, std::pair{"4", "2"}));

TEST_F(MoeLayer, GivesTheSameWithSharedExpertsBesideTheDispatch) {
    Sets overlapped = sizes("2", "2", "10");
    overlapped.emplace_back("params.shared_experts=overlapped");

    EXPECT_EQ(output(overlapped).bytes, output(sizes("2", "2", "10")).bytes);
}

TEST_F(MoeLayer, TakesRanksWithFewerTokensAndWithNone) {
    Sets ragged = sizes("2", "4", "10");
    ragged.emplace_back("params.ragged=4");  // 10, 6, 2 and 0 tokens

    const HostTensor result = output(ragged);

    const HostTensor whole = output(sizes("2", "4", "10"));
    expect_close(rows_of(result, 0, 10), rows_of(whole, 0, 10));
    expect_close(rows_of(result, 10, 6), rows_of(whole, 10, 6));
    expect_close(rows_of(result, 20, 2), rows_of(whole, 20, 2));
}

class MoeLayerRagged : public MoeLayer, public ::testing::WithParamInterface<std::uint32_t> {};

// With the defaults, the experts' counts are those of the routed tokens. The second row of devices
// has `ragged` tokens less. Each row's tokens are padded to a multiple of its devices.
TEST_P(MoeLayerRagged, CountsTheTokensThatAreRouted) {
    const std::uint32_t ragged = GetParam();

    const HostTensor counts =
        run({"params.dp=2", "params.ragged=" + std::to_string(ragged)}).read("sp_expert_counts");

    constexpr std::uint32_t kTokens = 26;
    constexpr std::uint32_t kDevices = 4;  // per row
    constexpr std::int64_t kTopK = 4;
    const auto filled = [](std::uint32_t tokens) {
        return (tokens + kDevices - 1) / kDevices * kDevices;
    };
    const auto values = counts.as<std::int32_t>();
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::int64_t{0}),
              kTopK * (filled(kTokens) + filled(kTokens - ragged)));
}

INSTANTIATE_TEST_SUITE_P(Tokens, MoeLayerRagged, ::testing::Values(1, 2, 10, 13, 26));

TEST_F(MoeLayer, GivesTheSameWithoutSequenceParallelism) {
    const auto inputs = std::make_shared<const SafetensorsFile>(golden::directory() +
                                                                "layer_shared_sp.safetensors");
    const Sets off{"params.T=13", "params.tp=2", "params.dp=2", "params.histograms=none",
                   "params.sequence_parallel=off"};

    const SafetensorsFile outputs = run(off, inputs);

    EXPECT_TRUE(
        testing::keeps_to(golden::GoldenFile("layer_shared_sp"), "output", outputs.read("output")));
}

}  // namespace
}  // namespace tessera::pipeline
