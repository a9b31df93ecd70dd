// SPDX-License-Identifier: Apache-2.0
// Each V2 golden file through the binary: inputs from the file, outputs against what it holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/ops/golden_tensor.hpp"

namespace tessera::test {
namespace {

using golden::GoldenFile;
using tessera::testing::golden_tensor;

struct GoldenRun {
    const char* file;
    const char* schedule;
    const char* mesh;

    friend void PrintTo(const GoldenRun& run, std::ostream* out) {
        *out << run.file << " " << run.schedule << " on " << run.mesh;
    }
};

std::string name_of_run(const ::testing::TestParamInfo<GoldenRun>& run) {
    return std::string(run.param.file) + "_" + run.param.schedule;
}

/// Where a layer's tokens stand in a tensor of one device.
using Counts = std::vector<std::uint32_t>;

/// The rows of a (E/D,T,X) tensor, or the entries of a (E/D,T) one, that hold tokens.
HostTensor valid_part(const HostTensor& tensor, const Counts& counts) {
    HostTensor valid{{}, tensor.format, {}};
    const std::size_t expert_bytes = tensor.bytes.size() / counts.size();
    const std::size_t row_bytes = expert_bytes / tensor.shape.at(1);
    for (std::size_t expert = 0; expert < counts.size(); ++expert) {
        const auto rows =
            std::span(tensor.bytes).subspan(expert * expert_bytes, counts[expert] * row_bytes);
        valid.bytes.insert(valid.bytes.end(), rows.begin(), rows.end());
    }
    return valid;
}

class CliGolden : public ::testing::TestWithParam<GoldenRun> {
protected:
    /// Runs the layer and returns the path of its outputs.
    [[nodiscard]] std::string run(const std::string& threads) const {
        std::string outputs = folder_.file("out" + threads + ".safetensors");
        const Ending ending = run_tessera(
            {"run", "moe_v2_tiny", "--inputs", golden_path(GetParam().file), "--outputs", outputs,
             "--threads", threads, "--set", std::string("mesh.shape=") + GetParam().mesh, "--set",
             std::string("set.moe_bmm.schedule=") + GetParam().schedule});
        EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
        EXPECT_THAT(ending.out, ::testing::HasSubstr("\nPASS "));
        return outputs;
    }
    /// "d0." and so on.
    [[nodiscard]] std::vector<std::string> devices() const {
        std::vector<std::string> prefixes;
        for (int d = 0; d < golden_.entry().at("params").at("D").get<int>(); ++d) {
            prefixes.push_back("d" + std::to_string(d) + ".");
        }
        return prefixes;
    }
    [[nodiscard]] Counts counts(const std::string& device) const {
        return golden_.tensor(device + "num_routed_tokens").as<std::uint32_t>();
    }
    /// The part of a device's tensor that is compared: `local` has a row for every token.
    [[nodiscard]] HostTensor compared(const HostTensor& tensor, const std::string& device) const {
        return tensor.shape.size() == 3 ? valid_part(tensor, counts(device)) : tensor;
    }
    /// Pairs of result and golden tensor `golden_prefix` + `name` of all devices.
    [[nodiscard]] std::vector<std::pair<HostTensor, HostTensor>> pairs(
        const SafetensorsFile& outputs, const std::string& name,
        const std::string& golden_prefix = "") const {
        std::vector<std::pair<HostTensor, HostTensor>> all;
        for (const std::string& device : devices()) {
            all.emplace_back(
                compared(outputs.read(device + name), device),
                compared(golden_tensor(golden_, device + golden_prefix + name), device));
        }
        return all;
    }

    GoldenFile golden_{GetParam().file};
    ScratchFolder folder_;
};

std::vector<ComparedPart> parts_of(const std::vector<std::pair<HostTensor, HostTensor>>& pairs) {
    std::vector<ComparedPart> parts;
    for (const auto& [result, golden] : pairs) {
        parts.push_back({result, golden});
    }
    return parts;
}

void expect_close(const std::string& name,
                  const std::vector<std::pair<HostTensor, HostTensor>>& pairs,
                  const nlohmann::json& stated) {
    const CloseTolerance tolerance{stated.at("pcc_min").get<double>(),
                                   stated.at("max_rel_err").get<double>()};
    const Closeness closeness = compare_close(parts_of(pairs), tolerance);
    EXPECT_GT(closeness.num_elements, 0U);
    EXPECT_TRUE(closeness.passes(tolerance))
        << name << ": PCC " << closeness.pcc << ", error " << closeness.max_rel_err;
}

void expect_staged(const std::string& name,
                   const std::vector<std::pair<HostTensor, HostTensor>>& pairs,
                   const nlohmann::json& stated) {
    const UlpTolerance tolerance{stated.at("max_ulp").get<double>(),
                                 stated.at("atol").get<double>(),
                                 stated.at("mismatch_fraction_max").get<double>()};
    const UlpCloseness closeness = compare_ulps(parts_of(pairs), tolerance);
    EXPECT_TRUE(closeness.passes(tolerance))
        << name << ": " << closeness.num_mismatches << " of " << closeness.num_elements
        << " differ, by " << closeness.max_ulp_beyond_atol << " ulp at most";
}

TEST_P(CliGolden, GivesTheSameBytesAtOneAndTwoThreads) {
    const std::string one = bytes_of(run("1"));

    EXPECT_GT(one.size(), 1000U);
    EXPECT_TRUE(one == bytes_of(run("2")));
}

TEST_P(CliGolden, RoutesAndScattersExactly) {
    const SafetensorsFile outputs(run("2"));

    for (const std::string& d : devices()) {
        for (const char* name : {"num_routed_tokens", "scattered"}) {
            EXPECT_EQ(outputs.read(d + name).bytes, golden_.tensor(d + name).bytes) << d << name;
        }
        for (const char* name : {"routed_tokens", "routed_token_weights", "token_idx_map"}) {
            EXPECT_EQ(valid_part(outputs.read(d + name), counts(d)).bytes,
                      valid_part(golden_tensor(golden_, d + name), counts(d)).bytes)
                << d << name;
        }
    }
}

TEST_P(CliGolden, StaysWithinToleranceOfTheExactChain) {
    const SafetensorsFile outputs(run("2"));

    for (const char* name : {"gate", "up", "combined", "down", "local"}) {
        expect_close(name, pairs(outputs, name),
                     golden_.entry_of(std::string("d0.") + name).at("tolerance"));
    }
    expect_close("final", {{outputs.read("final"), golden_tensor(golden_, "final")}},
                 golden_.entry_of("final").at("tolerance"));
}

TEST_P(CliGolden, StaysWithinToleranceOfTheStagedChain) {
    const SafetensorsFile outputs(run("1"));

    for (const char* name : {"gate", "up", "silu", "combined", "down", "local"}) {
        expect_staged(name, pairs(outputs, name, "staged."),
                      golden_.entry_of(std::string("d0.staged.") + name).at("tolerance"));
    }
    expect_staged("final", {{outputs.read("final"), golden_tensor(golden_, "staged.final")}},
                  golden_.entry_of("staged.final").at("tolerance"));
}

// Rows and, where there are several, columns of devices.
INSTANTIATE_TEST_SUITE_P(V2, CliGolden,
                         ::testing::Values(GoldenRun{"v2_d1_basic", "multi_core", "[1,1]"},
                                           GoldenRun{"v2_d1_basic", "single_core", "[1,1]"},
                                           GoldenRun{"v2_d2_decode_t1", "multi_core", "[1,2]"},
                                           GoldenRun{"v2_d2_decode_t1", "single_core", "[2,1]"},
                                           GoldenRun{"v2_d2_uneven", "multi_core", "[2,1]"},
                                           GoldenRun{"v2_d2_uneven", "single_core", "[1,2]"},
                                           GoldenRun{"v2_d4_mid", "multi_core", "[2,2]"},
                                           GoldenRun{"v2_d4_mid", "single_core", "[1,4]"},
                                           GoldenRun{"v2_d4_zipf", "multi_core", "[1,4]"},
                                           GoldenRun{"v2_d4_zipf", "single_core", "[4,1]"},
                                           GoldenRun{"v2_d8_one_expert", "multi_core", "[2,4]"},
                                           GoldenRun{"v2_d8_one_expert", "single_core", "[1,8]"}),
                         name_of_run);

}  // namespace
}  // namespace tessera::test
