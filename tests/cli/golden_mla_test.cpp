// SPDX-License-Identifier: Apache-2.0
// Golden files of latent attention through the binary. Every output tensor of a file is compared as
// its index says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/ops/golden_compare.hpp"

namespace tessera::test {
namespace {

using golden::GoldenFile;
using tessera::testing::keeps_to;
using tessera::testing::numbers_of;

struct MlaRun {
    std::string config;
    std::string file;
    std::string set = {};  ///< a further override

    friend void PrintTo(const MlaRun& run, std::ostream* out) { *out << run.file << run.set; }
};

class CliMlaGolden : public ::testing::TestWithParam<MlaRun> {
protected:
    /// Returns the file's parameters without the seed that generated it.
    [[nodiscard]] std::vector<std::string> params() const {
        std::vector<std::string> arguments;
        for (const auto& [name, value] : golden_.entry().at("params").items()) {
            const bool is_of_the_draw = name == "seed" || name.find("margin") != std::string::npos;
            if (!is_of_the_draw && !value.is_array()) {
                arguments.insert(
                    arguments.end(),
                    {"--set", "params." + name + "=" +
                                  (value.is_string() ? value.get<std::string>() : value.dump())});
            }
        }
        return arguments;
    }
    /// Runs the pipeline and returns the path of its outputs.
    [[nodiscard]] std::string run(const std::string& name,
                                  const std::vector<std::string>& more = {}) const {
        const std::string outputs = folder_.file(name + ".safetensors");
        std::vector<std::string> arguments{"run",       GetParam().config,
                                           "--inputs",  golden_path(GetParam().file),
                                           "--outputs", outputs};
        const auto own = params();
        arguments.insert(arguments.end(), own.begin(), own.end());
        if (!GetParam().set.empty()) {
            arguments.insert(arguments.end(), {"--set", GetParam().set});
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Ending ending = run_tessera(arguments);
        EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
        EXPECT_THAT(ending.out, ::testing::HasSubstr("\nPASS "));
        return outputs;
    }

    GoldenFile golden_{GetParam().file};
    ScratchFolder folder_;
};

/// Exact results are stored in float32, results of an op in bfloat16.
HostTensor widened(const HostTensor& tensor, const std::string& dtype) {
    if (tensor.format != DataFormat::Float16_b || dtype != "F32") {
        return tensor;
    }
    HostTensor wide = make_host_tensor(tensor.shape, DataFormat::Float32);
    std::ranges::copy(numbers_of(tensor), wide.as<float>().begin());
    return wide;
}

TEST_P(CliMlaGolden, KeepsToEveryTensorOfTheFile) {
    const SafetensorsFile outputs(run("out"));

    std::size_t num_compared = 0;
    for (const nlohmann::json& tensor : golden_.entry().at("tensors")) {
        if (tensor.at("role") == "output") {
            const auto name = tensor.at("name").get<std::string>();
            const HostTensor result = outputs.read(name);
            EXPECT_EQ(result.shape, tensor.at("shape").get<Shape>()) << name;
            EXPECT_TRUE(keeps_to(golden_, name, widened(result, tensor.at("dtype"))));
            ++num_compared;
        }
    }
    EXPECT_GT(num_compared, 1U);
}

/// Returns the share of elements that differ, of bytes or of bfloat16.
template <class Element>
double differing(const HostTensor& result, const HostTensor& golden) {
    const auto values = result.as<Element>();
    const auto wanted = golden.as<Element>();
    std::size_t count = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        count += values[i] == wanted[i] ? 0 : 1;
    }
    return static_cast<double>(count) / static_cast<double>(wanted.size());
}

class CliIndexerGolden : public CliMlaGolden {};

// Each step reads the output of the previous step, not the tensors of the file, for which the index
// has its tolerances. A bfloat16 halfway between two values may round either way.
TEST_P(CliIndexerGolden, KeepsToEveryTensorOfTheFile) {
    for (const std::string layout : {"half", "interleaved"}) {
        const SafetensorsFile outputs(run(layout, {"--set", "params.layout=" + layout}));
        const auto golden = [&](const std::string& name) {
            return tessera::testing::golden_tensor(golden_, name);
        };

        for (const char* name : {"q", "k", "weights"}) {
            EXPECT_TRUE(keeps_to(golden_, name, outputs.read(name)));
        }
        for (const char* part : {".q_rope", ".k_rope", ".q_had", ".k_had"}) {
            const std::string name = layout + part;
            EXPECT_LE(differing<std::uint16_t>(outputs.read(name), golden(name)), 0.005) << name;
        }
        for (const char* part : {".q_fp8", ".k_fp8"}) {
            const std::string name = layout + part;
            EXPECT_LE(differing<std::uint8_t>(outputs.read(name), golden(name)), 0.005) << name;
        }
        for (const char* part : {".q_scale", ".k_scale", ".topk_indices", ".topk_indices_nofp8"}) {
            const std::string name = layout + part;
            EXPECT_TRUE(outputs.read(name).bytes == golden(name).bytes) << name;
        }
        // The index allows 0.05 end to end.
        const auto scores = numbers_of(outputs.read(layout + ".index_score"));
        const auto wanted = numbers_of(golden(layout + ".index_score"));
        EXPECT_LE(golden::distance(scores, wanted).max_rel_err, 0.001) << layout;
    }
}

TEST_P(CliIndexerGolden, GivesTheSameBytesAtTwoThreadsAndUnderEveryDelivery) {
    const std::string one = bytes_of(run("one", {"--threads", "1"}));

    EXPECT_TRUE(one == bytes_of(run("two", {"--threads", "2"})));
    for (const char* delivery : {"at_issue", "random"}) {
        EXPECT_TRUE(one == bytes_of(run(delivery, {"--set", std::string("machine.noc_delivery=") +
                                                                delivery})))
            << delivery;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, CliIndexerGolden,
                         ::testing::Values(MlaRun{"indexer", "indexer_small"}),
                         [](const auto& run) { return run.param.file; });

TEST_P(CliMlaGolden, ReadsNothingThatNobodyWrote) {
    EXPECT_TRUE(bytes_of(run("zeros")) ==
                bytes_of(run("nan", {"--set", "machine.unwritten_memory=nan"})));
}

TEST_P(CliMlaGolden, GivesTheSameBytesAtAnyNumberOfThreadsAndUnderEveryDelivery) {
    const std::string one = bytes_of(run("one", {"--threads", "1"}));

    EXPECT_GT(one.size(), 1000U);
    EXPECT_TRUE(one == bytes_of(run("two", {"--threads", "2"})));
    for (const char* delivery : {"at_issue", "random"}) {
        EXPECT_TRUE(one == bytes_of(run(delivery, {"--set", std::string("machine.noc_delivery=") +
                                                                delivery})))
            << delivery;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Files, CliMlaGolden,
    ::testing::Values(MlaRun{"mla", "mla_small"},
                      MlaRun{"mla", "mla_small", "params.prefill=up_projected"},
                      MlaRun{"mla_sparse", "mla_sparse"}, MlaRun{"rope", "rope_layouts"}),
    [](const auto& run) {
        return run.param.file + (run.param.set.empty() ? "" : "_up_projected");
    });

TEST(CliMla, RunsOnTheOtherModelWithItsOwnAlignment) {
    const Ending ending =
        run_tessera({"run", "mla", "--quiet", "--set", "mesh.device=blackhole_p150"});

    EXPECT_EQ(ending.err, "");
    EXPECT_EQ(ending.exit_code, 0) << ending.out;
}

TEST(CliMla, APageTableThatPointsOutsideIsNamed) {
    const Ending ending = run_tessera(
        {"run", "mla_sparse", "--set", "tensors.page_table.origin.index=batch * pages - i"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(
        ending.err,
        ::testing::HasSubstr("kv_cache_append: page_table(0,0) is 2; the cache has pages 0 to 1"));
}

TEST(CliMla, APositionBehindTheCacheIsNamed) {
    const Ending ending =
        run_tessera({"run", "mla_sparse", "--set", "tensors.positions.origin.index=i + 10", "--set",
                     "tensors.angles.shape=[S + 10]"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, ::testing::HasSubstr(
                                "positions[22] is 32; the 2 pages of a sequence hold 0 to 31"));
}

TEST(CliMla, AnOriginThatIsNoNumberIsToldAtItsLine) {
    const Ending ending =
        run_tessera({"run", "mla_sparse", "--set", "tensors.positions.origin.index=j % S"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                ::testing::HasSubstr("tensors.positions.origin: 'j % S': j is unknown"));
}

}  // namespace
}  // namespace tessera::test
