// SPDX-License-Identifier: Apache-2.0
// The V2 golden files through the library, with schedules, threads and deliveries other than those
// of the shipped run, and NaN in all unwritten memory.
#include "tests/ops/v2_golden.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;

struct Variant {
    const char* name;
    std::vector<std::string> sets;
    bool rounds_silu = true;
};

const std::array kVariants{
    Variant{
        "SingleCore",
        {"set.moe_bmm.schedule=single_core", "host.threads=1", "machine.noc_delivery=at_issue"}},
    Variant{"SplitByHost",
            {"set.moe_bmm.split_by=host", "host.threads=2", "machine.noc_delivery=at_barrier"}},
    Variant{"RoundRobinFused",
            {"set.moe_bmm.distribution=round_robin", "params.activation=fused", "host.threads=5",
             "machine.noc_delivery=random", "machine.delivery_seed=7"},
            false},
};
constexpr std::array kFiles{"v2_d1_basic", "v2_d2_decode_t1",  "v2_d2_uneven",
                            "v2_d4_zipf",  "v2_d8_one_expert", "v2_d4_mid"};

using FileAndVariant = std::tuple<const char*, std::size_t>;

class V2GoldenPipeline : public ::testing::TestWithParam<FileAndVariant> {
protected:
    [[nodiscard]] const char* stem() const { return std::get<0>(GetParam()); }
    [[nodiscard]] const Variant& variant() const { return kVariants[std::get<1>(GetParam())]; }
    [[nodiscard]] SafetensorsFile run() const {
        const config::LoadedRun loaded = load();
        SafetensorsWriter writer(folder_.file("out.safetensors"), output_tensors(loaded));
        RunFiles files;
        files.inputs = inputs_;
        files.outputs = &writer;
        (void)run_pipeline(loaded, {}, files);
        writer.finish();
        return SafetensorsFile(folder_.file("out.safetensors"));
    }

    const testing::V2Golden golden_{stem()};

private:
    [[nodiscard]] config::LoadedRun load() const {
        const fs::path configs = fs::path(TESSERA_SOURCE_DIR) / "configs";
        const fs::path file = configs / "runs" / "moe_v2_tiny.yaml";
        const std::array folders{configs};
        std::vector<config::Override> given = params_of(inputs_, file, folders);
        std::vector<std::string> sets = variant().sets;
        const golden::GoldenFile golden(stem());
        sets.push_back("mesh.shape=[1," + golden.entry().at("params").at("D").dump() + "]");
        sets.push_back("machine.unwritten_memory=nan");
        std::ranges::move(config::parse_sets(sets), std::back_inserter(given));
        return config::load_run(file, given, folders);
    }

    ScratchFolder folder_;
    InputFile inputs_ =
        std::make_shared<const SafetensorsFile>(golden::directory() + stem() + ".safetensors");
};

TEST_P(V2GoldenPipeline, KeepsToTheTablesAndBothChains) {
    const SafetensorsFile outputs = run();

    golden_.expect_exact_tables(outputs);
    golden_.expect_exact_chain(outputs);
    // A fused activation does not round silu, unlike the staged chain: compare only up to `up`.
    golden_.expect_staged_chain(
        outputs, std::span(testing::kStagedNames).first(variant().rounds_silu ? 6 : 2));
    if (variant().rounds_silu) {
        golden_.expect_staged_final(outputs);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, V2GoldenPipeline,
                         ::testing::Combine(::testing::ValuesIn(kFiles),
                                            ::testing::Range(std::size_t{0}, kVariants.size())),
                         [](const auto& row) {
                             return std::string(std::get<0>(row.param)) + "_" +
                                    kVariants[std::get<1>(row.param)].name;
                         });

}  // namespace
}  // namespace tessera::pipeline
