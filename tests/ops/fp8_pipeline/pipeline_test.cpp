// SPDX-License-Identifier: Apache-2.0
// Each step of the FP8 pipeline from its golden input, in memory filled with 0xFF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "emu/base/bf16.hpp"
#include "ops/fp8_grouped_matmul/fp8_grouped_matmul.hpp"
#include "ops/fp8_swiglu/fp8_swiglu.hpp"
#include "ops/moe_finalize/moe_finalize.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/golden_compare.hpp"
#include "tests/ops/op_call.hpp"
#include "tests/ops/two_bank_arch.hpp"

namespace tessera::ops {
namespace {

using golden::GoldenFile;
using testing::call_op;
using testing::CallInput;
using testing::golden_tensor;
using testing::keeps_to;
using testing::OneDevice;

class Fp8Pipeline : public ::testing::TestWithParam<std::string> {
protected:
    static constexpr std::uint32_t kTile = 8;  // token tile of the files' permuted results

    [[nodiscard]] HostTensor tensor(const std::string& name) const {
        return golden_tensor(file_, name);
    }
    [[nodiscard]] CallInput table(const std::string& name) const {
        return {tensor("tile8." + name)};
    }
    [[nodiscard]] std::vector<std::int32_t> tokens() const {
        return testing::values_of<std::int32_t>(tensor("tile8.permuted_idx_to_token_idx"));
    }
    /// Expects golden codes in permuted rows that hold tokens, and unchanged memory elsewhere.
    void expect_rows(const HostTensor& result, const std::string& name) const {
        const HostTensor golden = tensor(name);
        const std::size_t columns = golden.shape[1];
        const auto tokens_of_rows = tokens();
        for (std::size_t row = 0; row < tokens_of_rows.size(); ++row) {
            const auto codes = result.as<std::uint8_t>().subspan(row * columns, columns);
            const auto wanted = golden.as<std::uint8_t>().subspan(row * columns, columns);
            EXPECT_TRUE(tokens_of_rows[row] >= 0
                            ? std::ranges::equal(codes, wanted)
                            : std::ranges::all_of(codes, [](auto code) { return code == 0xFF; }))
                << name << " row " << row;
        }
    }
    /// Expects the same for scales: one row of the table per 128 columns.
    void expect_scales(const HostTensor& result, const std::string& name) const {
        const HostTensor golden = tensor(name);
        const auto tokens_of_rows = tokens();
        for (std::size_t i = 0; i < num_elements(golden.shape); ++i) {
            if (tokens_of_rows[i % tokens_of_rows.size()] >= 0) {
                EXPECT_FLOAT_EQ(result.as<float>()[i], golden.as<float>()[i]) << name << " " << i;
            }
        }
    }
    [[nodiscard]] std::vector<HostTensor> first_product(DataFormat output, std::uint32_t k_push,
                                                        std::uint32_t row_chunk) {
        return first_product(device_, {.tile = kTile,
                                       .output = output,
                                       .grid = {},
                                       .row_chunk = row_chunk,
                                       .k_push = k_push,
                                       .cb_depth = 2});
    }
    [[nodiscard]] std::vector<HostTensor> first_product(OneDevice& device,
                                                        const GroupedMatmulSpec& spec) const {
        return call_op(device, fp8_grouped_matmul::op(), &spec,
                       {{tensor("hidden_states")},
                        {tensor("hidden_states_scale")},
                        {tensor("gemm1_weights"), Layout::TILE},
                        {tensor("gemm1_weights_scale")},
                        table("cta_idx_xy_to_batch_idx"),
                        table("cta_idx_xy_to_mn_limit"),
                        table("num_non_exiting_ctas"),
                        table("permuted_idx_to_token_idx")});
    }
    void expect_same_bytes(const GroupedMatmulSpec& one, const GroupedMatmulSpec& other) {
        const auto outputs = first_product(device_, one);
        const auto expected = first_product(device_, other);
        EXPECT_EQ(outputs[0].bytes, expected[0].bytes);
        EXPECT_EQ(outputs[1].bytes, expected[1].bytes);
    }
    [[nodiscard]] std::vector<HostTensor> activation(OneDevice& device) const {
        const std::string half = file_.entry().at("params").at("gate_half");
        const SwigluSpec spec{.tile = kTile,
                              .gate_half = half == "first" ? GateHalf::First : GateHalf::Second,
                              .grid = {},
                              .cb_depth = 2};
        return call_op(device, fp8_swiglu::op(), &spec,
                       {table("gemm1_output"), table("gemm1_output_scale"),
                        table("cta_idx_xy_to_mn_limit"), table("num_non_exiting_ctas")});
    }

    GoldenFile file_{GetParam()};
    OneDevice device_{testing::test_arch()};
};

TEST_P(Fp8Pipeline, FirstProductGathersTokensAndQuantisesItsRows) {
    const auto outputs = first_product(DataFormat::Fp8_e4m3, 1, 8);

    expect_rows(outputs[0], "tile8.gemm1_output");
    expect_scales(outputs[1], "tile8.gemm1_output_scale");
}

TEST_P(Fp8Pipeline, ProductsAreTheSameBytesHoweverTheyAreRead) {
    const auto outputs = first_product(DataFormat::Float32, 1, 8);

    EXPECT_EQ(first_product(DataFormat::Float32, 2, 1)[0].bytes, outputs[0].bytes);
    EXPECT_EQ(first_product(DataFormat::Float32, 7, 2)[0].bytes, outputs[0].bytes);
}

TEST_P(Fp8Pipeline, ProductsAreTheSameBytesIfCtasOfAnExpertShareATile) {
    expect_same_bytes({.tile = kTile}, {.tile = kTile, .join_ctas = false});
}

TEST_P(Fp8Pipeline, ProductsAreTheSameBytesIfOneReadBringsFourTilesOfWeights) {
    expect_same_bytes({.tile = kTile}, {.tile = kTile, .weight_shards = false});
}

TEST_P(Fp8Pipeline, ProductsAreTheSameBytesIfTheWriterReadsTheWeightsOfSomeBanks) {
    const auto expected = first_product(device_, {.tile = kTile, .both_nocs = false});

    for (const bool weight_shards : {true, false}) {
        for (const std::uint32_t k_push : {1U, 2U}) {
            for (const NocDelivery delivery :
                 {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
                OneDevice device(testing::arch_with_two_banks_in_a_row(),
                                 {.threads = 2, .delivery = delivery, .seed = 7});
                const auto outputs = first_product(device, {.tile = kTile,
                                                            .weight_shards = weight_shards,
                                                            .k_push = k_push,
                                                            .cb_depth = 1});
                EXPECT_EQ(outputs[0].bytes, expected[0].bytes);
                EXPECT_EQ(outputs[1].bytes, expected[1].bytes);
            }
        }
    }
}

TEST_P(Fp8Pipeline, BytesAreTheSameAtAnyNumberOfThreadsAndUnderEveryDelivery) {
    const GroupedMatmulSpec spec{.tile = kTile};
    const auto product = first_product(device_, spec);
    const auto activated = activation(device_);

    for (const std::uint32_t threads : {1U, 2U, 5U}) {
        for (const NocDelivery delivery :
             {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
            OneDevice device(testing::test_arch(),
                             {.threads = threads, .delivery = delivery, .seed = 7});
            EXPECT_EQ(first_product(device, spec)[0].bytes, product[0].bytes);
            EXPECT_EQ(activation(device)[0].bytes, activated[0].bytes);
        }
    }
}

TEST_P(Fp8Pipeline, ActivationLeavesRowsWithoutATokenAsTheyAre) {
    const HostTensor output = activation(device_)[0];

    const auto tokens_of_rows = tokens();
    const std::size_t columns = output.shape[1];
    for (std::size_t row = 0; row < tokens_of_rows.size(); ++row) {
        const auto codes = output.as<std::uint8_t>().subspan(row * columns, columns);
        EXPECT_EQ(std::ranges::all_of(codes, [](auto code) { return code == 0xFF; }),
                  tokens_of_rows[row] < 0)
            << "row " << row;
    }
}

TEST_P(Fp8Pipeline, UnroundedProductIsThatOfTheFile) {
    const HostTensor output = first_product(DataFormat::Float32, 1, 8)[0];

    const auto rows =
        testing::values_of<std::int32_t>(tensor("tile8.expanded_idx_to_permuted_idx"));
    HostTensor by_expanded = tensor("gemm1_by_expanded");
    const std::size_t columns = by_expanded.shape[1];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] >= 0) {
            std::ranges::copy(
                output.as<float>().subspan(static_cast<std::size_t>(rows[i]) * columns, columns),
                by_expanded.as<float>().subspan(i * columns, columns).begin());
        }
    }
    EXPECT_TRUE(keeps_to(file_, "gemm1_by_expanded", by_expanded));
}

TEST_P(Fp8Pipeline, ActivationRequantisesItsRows) {
    const auto outputs = activation(device_);

    expect_scales(outputs[1], "tile8.activation_output_scale");
}

TEST_P(Fp8Pipeline, SumOverExpertsIsThatOfTheFile) {
    // In expanded order each row is at its own index.
    HostTensor indices = tensor("tile8.expanded_idx_to_permuted_idx");
    for (std::size_t i = 0; i < indices.shape[0]; ++i) {
        std::int32_t& index = indices.as<std::int32_t>()[i];
        index = index < 0 ? -1 : static_cast<std::int32_t>(i);
    }
    const CopySpec spec{.grid = {}, .cb_depth = 2};
    const HostTensor weights = tensor("expert_weights_bf16");
    // A sixteenth of a step of bfloat16 more: rounded to the same weights.
    HostTensor unrounded = make_host_tensor(weights.shape, DataFormat::Float32);
    for (std::size_t i = 0; i < num_elements(weights.shape); ++i) {
        unrounded.as<float>()[i] = bf16_to_float(weights.as<std::uint16_t>()[i]) * (1 + 0x1p-13F);
    }

    for (const HostTensor& used : {weights, unrounded}) {
        const auto outputs = call_op(device_, moe_finalize::op(), &spec,
                                     {{tensor("gemm2_bf16_by_expanded")}, {indices}, {used}});

        EXPECT_EQ(outputs[0].bytes, tensor("final_bf16").bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, Fp8Pipeline,
                         ::testing::Values("fp8moe_all_local", "fp8moe_ep_shard",
                                           "fp8moe_seed_gate_first"),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace tessera::ops
