// SPDX-License-Identifier: Apache-2.0
// The whole pipeline against both chains of the V2 golden files, at the tolerances they state.
#include <gtest/gtest.h>

#include "tests/ops/moe_v2/golden_layer.hpp"
#include "tests/ops/staged_golden.hpp"

namespace tessera {
namespace {

using testing::default_ops;
using testing::GoldenLayer;
using testing::HostOutputs;

struct Variant {
    const char* name;
    std::uint32_t threads;
    BmmSchedule schedule;
    TileDistribution distribution;
    ActivationSchedule activation;
};

constexpr std::array kRuns{
    Variant{"SingleCore_1thread", 1, BmmSchedule::SingleCore, TileDistribution::Block,
            ActivationSchedule::Separate},
    Variant{"MultiCore_2threads", 2, BmmSchedule::MultiCore, TileDistribution::Block,
            ActivationSchedule::Separate},
    Variant{"RoundRobinFused_5threads", 5, BmmSchedule::MultiCore, TileDistribution::RoundRobin,
            ActivationSchedule::Fused},
};
constexpr std::array kFiles{"v2_d1_basic", "v2_d2_decode_t1",  "v2_d2_uneven",
                            "v2_d4_zipf",  "v2_d8_one_expert", "v2_d4_mid"};

class GoldenPipeline : public ::testing::TestWithParam<std::tuple<const char*, Variant>> {
protected:
    GoldenPipeline() : layer_(std::get<0>(GetParam())), outputs_(run()) {}

    [[nodiscard]] HostOutputs run() const {
        const Variant& variant = std::get<1>(GetParam());
        OpsSpec ops = default_ops();
        ops.moe_bmm.schedule = variant.schedule;
        ops.moe_bmm.distribution = variant.distribution;
        ops.activation.schedule = variant.activation;
        return run_layer(layer_, ops, {.threads = variant.threads});
    }
    // `tests` and `references` by device; the index compares the valid rows of all together.
    [[nodiscard]] std::vector<ComparedPart> valid_parts(
        std::span<const HostTensor> tests, std::span<const HostTensor> references) const {
        std::vector<ComparedPart> parts;
        for (std::size_t device = 0; device < tests.size(); ++device) {
            const Shape& shape = tests[device].shape;
            EXPECT_EQ(shape, references[device].shape);
            const auto counts = testing::golden_counts(layer_.file(), prefix_of(device));
            const std::size_t row = shape.back();
            const std::size_t matrix = row * shape[shape.size() - 2];
            for (std::size_t i = 0; i < num_elements(shape) / matrix; ++i) {
                const std::size_t size = shape.size() == 3 ? counts[i] * row : matrix;
                parts.push_back({part_of(tests[device], i * matrix, size),
                                 part_of(references[device], i * matrix, size)});
            }
        }
        return parts;
    }
    static NumberView part_of(const HostTensor& tensor, std::size_t first, std::size_t size) {
        if (tensor.format == DataFormat::Float32) {
            return tensor.as<float>().subspan(first, size);
        }
        return Bf16Bits{tensor.as<std::uint16_t>().subspan(first, size)};
    }

    [[nodiscard]] std::vector<HostTensor> results(const std::string& name) const {
        std::vector<HostTensor> tensors;
        for (std::uint32_t device = 0; device < layer_.num_devices(); ++device) {
            tensors.push_back(outputs_.at(prefix_of(device) + name));
        }
        return tensors;
    }
    // Golden tensors of all devices; "final" is one for all.
    [[nodiscard]] std::vector<HostTensor> golden(const std::string& chain,
                                                 const std::string& name) const {
        std::vector<HostTensor> tensors;
        for (std::uint32_t device = 0; device < layer_.num_devices(); ++device) {
            tensors.push_back(
                testing::golden_tensor(layer_.file(), entry_name(chain, name, device)));
        }
        return tensors;
    }
    static std::string entry_name(const std::string& chain, const std::string& name,
                                  std::size_t device) {
        return (name == "final" ? "" : prefix_of(device)) + chain + name;
    }
    static std::string prefix_of(std::size_t device) { return "d" + std::to_string(device) + "."; }

    void expect_close(const std::string& name) const {
        const auto& stated = layer_.file().entry_of(entry_name("", name, 0)).at("tolerance");
        const CloseTolerance tolerance{stated.at("pcc_min").get<double>(),
                                       stated.at("max_rel_err").get<double>()};
        const auto tests = results(name);
        const auto references = golden("", name);
        const Closeness closeness = compare_close(valid_parts(tests, references), tolerance);
        EXPECT_TRUE(closeness.passes(tolerance))
            << name << ": PCC " << closeness.pcc << ", error " << closeness.max_rel_err;
    }
    void expect_staged(const std::string& name) const {
        const auto& stated = layer_.file().entry_of(entry_name("staged.", name, 0)).at("tolerance");
        const UlpTolerance tolerance{stated.at("max_ulp").get<double>(),
                                     stated.at("atol").get<double>(),
                                     stated.at("mismatch_fraction_max").get<double>()};
        const auto tests = results(name);
        const auto references = golden("staged.", name);
        const UlpCloseness closeness = compare_ulps(valid_parts(tests, references), tolerance);
        EXPECT_TRUE(closeness.passes(tolerance))
            << name << ": " << closeness.num_mismatches << " of " << closeness.num_elements
            << " differ, by " << closeness.max_ulp_beyond_atol << " ulp at most";
    }
    // Valid entries; the rest of a table is padding.
    void expect_table(const std::string& name) const {
        const HostTensor golden = testing::golden_tensor(layer_.file(), name);
        const HostTensor& result = outputs_.at(name);
        ASSERT_EQ(result.shape, golden.shape) << name;
        const std::string prefix = name.substr(0, name.find('.') + 1);
        const auto counts = testing::golden_counts(layer_.file(), prefix);
        const std::size_t row = result.bytes.size() / counts.size();
        const std::size_t entry = row / result.shape[1];
        for (std::size_t l = 0; l < counts.size(); ++l) {
            const auto from = static_cast<std::ptrdiff_t>(l * row);
            const auto to = static_cast<std::ptrdiff_t>(l * row + counts[l] * entry);
            EXPECT_TRUE(std::equal(result.bytes.begin() + from, result.bytes.begin() + to,
                                   golden.bytes.begin() + from))
                << name << ", local expert " << l;
        }
    }
    GoldenLayer layer_;
    HostOutputs outputs_;
};

TEST_P(GoldenPipeline, RoutingAndScatterAreExact) {
    for (std::uint32_t device = 0; device < layer_.num_devices(); ++device) {
        for (const char* name : {"num_routed_tokens", "scattered"}) {
            const std::string key = prefix_of(device) + name;
            EXPECT_EQ(outputs_.at(key).bytes, testing::golden_tensor(layer_.file(), key).bytes)
                << key;
        }
        for (const char* name : {"routed_tokens", "routed_token_weights", "token_idx_map"}) {
            expect_table(prefix_of(device) + name);
        }
    }
}

TEST_P(GoldenPipeline, LeavesTheSameSumOnEachDevice) {
    for (const HostTensor& sum : results("final")) {
        EXPECT_EQ(sum.bytes, outputs_.at("d0.final").bytes);
    }
}

TEST_P(GoldenPipeline, FollowsTheExactChain) {
    for (const char* name : {"gate", "up", "combined", "down", "local", "final"}) {
        expect_close(name);
    }
}

// A fused activation does not round silu, which the staged chain does: then up to `up` only.
TEST_P(GoldenPipeline, FollowsTheStagedChain) {
    const bool is_fused = std::get<1>(GetParam()).activation == ActivationSchedule::Fused;
    for (const char* name : {"gate", "up"}) {
        expect_staged(name);
    }
    for (const char* name : {"silu", "combined", "down", "local", "final"}) {
        if (!is_fused) {
            expect_staged(name);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenPipeline,
                         ::testing::Combine(::testing::ValuesIn(kFiles),
                                            ::testing::ValuesIn(kRuns)),
                         [](const auto& row) {
                             return std::string(std::get<0>(row.param)) + "_" +
                                    std::get<1>(row.param).name;
                         });

}  // namespace
}  // namespace tessera
