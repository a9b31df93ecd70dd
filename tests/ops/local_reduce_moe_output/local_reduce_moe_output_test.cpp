// SPDX-License-Identifier: Apache-2.0
#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"

#include <gmock/gmock.h>

#include <bit>

#include "tests/arch_fixture.hpp"
#include "tests/ops/local_reduce_moe_output/reduce_run.hpp"
#include "tests/ops/routing_workload.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera::ops::local_reduce_moe_output {
namespace {

using testing::OneDevice;

constexpr std::array kAccumulators{ReduceAccumulator::Fp32, ReduceAccumulator::Bf16Rne,
                                   ReduceAccumulator::Bf16Truncate};

float widen(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// Rows after the counts are NaN, and so are the table entries there.
HostInputs random_inputs(const testing::RoutingShape& shape, std::uint32_t hidden) {
    const auto tables = testing::tables_of(testing::random_routing(shape, 31));
    HostTensor rows = testing::random_bf16_tensor({shape.local_experts, shape.tokens, hidden}, 8);
    for (std::size_t e = 0; e < shape.local_experts; ++e) {
        const std::size_t count = tables.num_routed_tokens.as<std::uint32_t>()[e];
        const auto valid = (e * shape.tokens + count) * hidden;
        const auto padding = (shape.tokens - count) * hidden;
        std::ranges::fill(rows.as<std::uint16_t>().subspan(valid, padding), 0x7FFF);
    }
    return {rows, tables.routed_tokens, tables.weights, tables.num_routed_tokens};
}

/// Returns one float sum per element, experts ascending. It is exact enough that one rounding
/// decides.
std::uint16_t rounded(double sum, ReduceAccumulator accumulator) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
    const bool truncates = accumulator == ReduceAccumulator::Bf16Truncate;
    return static_cast<std::uint16_t>((truncates ? bits : bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

std::vector<std::uint16_t> expected(const HostInputs& host, ReduceAccumulator accumulator) {
    const std::size_t tokens = host.expert_outputs.shape[1];
    const std::size_t hidden = host.expert_outputs.shape[2];
    std::vector<float> sums(tokens * hidden, 0.0F);
    for (std::size_t e = 0; e < host.expert_outputs.shape[0]; ++e) {
        for (std::size_t i = 0; i < host.num_routed_tokens.as<std::uint32_t>()[e]; ++i) {
            const std::size_t row = e * tokens + i;
            const float weight = widen(host.weights.as<std::uint16_t>()[row]);
            for (std::size_t h = 0; h < hidden; ++h) {
                float& sum = sums[host.token_idx_map.as<std::uint32_t>()[row] * hidden + h];
                sum += widen(host.expert_outputs.as<std::uint16_t>()[row * hidden + h]) * weight;
                if (accumulator != ReduceAccumulator::Fp32) {
                    sum = widen(rounded(sum, accumulator));
                }
            }
        }
    }
    std::vector<std::uint16_t> out;
    for (const float sum : sums) {
        out.push_back(rounded(sum, accumulator));
    }
    return out;
}

struct Case {
    testing::RoutingShape routing;
    std::uint32_t hidden;
    GridSize grid;
    std::uint32_t cb_depth;
    [[nodiscard]] std::string name() const {
        return routing.name() + "_H" + std::to_string(hidden) + "_grid" +
               std::to_string(grid.columns) + "x" + std::to_string(grid.rows) + "_depth" +
               std::to_string(cb_depth);
    }
    friend void PrintTo(const Case& test, std::ostream* out) { *out << test.name(); }
};

class LocalReduceShapes : public ::testing::TestWithParam<Case> {};

TEST_P(LocalReduceShapes, SumsTheWeightedRowsOfEachToken) {
    const HostInputs host = random_inputs(GetParam().routing, GetParam().hidden);
    for (const ReduceAccumulator accumulator : kAccumulators) {
        SCOPED_TRACE(name_of(accumulator));
        OneDevice device(testing::test_arch());

        const HostTensor local = run(
            device, host,
            {.accumulator = accumulator, .grid = GetParam().grid, .cb_depth = GetParam().cb_depth});

        EXPECT_EQ(testing::values_of<std::uint16_t>(local), expected(host, accumulator));
    }
}

constexpr GridSize kAll{};
INSTANTIATE_TEST_SUITE_P(
    EdgesOf, LocalReduceShapes,
    ::testing::Values(Case{{1, 1, 1, 1}, 1, kAll, 1},         // the smallest of every extent
                      Case{{1, 4, 4, 4}, 32, kAll, 2},        // one token, several experts
                      Case{{31, 2, 8, 3}, 31, {1, 1}, 2},     // tokens without contributions
                      Case{{33, 4, 16, 16}, 33, {2, 3}, 3},   // row of 66 bytes, odd depth
                      Case{{64, 8, 16, 16}, 64, kAll, 2},     // one token per core
                      Case{{65, 3, 8, 8}, 1023, kAll, 4},     // a row slightly below a tile
                      Case{{7, 2, 3, 3}, 1025, {2, 2}, 1},    // a tile of one element
                      Case{{5, 3, 5, 4}, 4096, {1, 1}, 2},    // a chunk that fills DST
                      Case{{6, 3, 5, 4}, 7168, kAll, 2},      // two chunks, the last short
                      Case{{600, 1, 2, 2}, 16, {1, 2}, 2},    // tables read in two parts
                      Case{{300, 2, 64, 64}, 8, {1, 1}, 2}),  // lists of three batches
    [](const auto& test) { return test.param.name(); });

TEST(LocalReduce, DoesNotNeedTheTokensOfAnExpertInOrder) {
    HostInputs host = random_inputs({40, 2, 4, 3}, 16);
    const std::size_t count = host.num_routed_tokens.as<std::uint32_t>()[0];
    std::ranges::reverse(host.token_idx_map.as<std::uint32_t>().first(count));
    OneDevice device(testing::test_arch());

    const HostTensor local =
        run(device, host, {.accumulator = ReduceAccumulator::Fp32, .grid = {}, .cb_depth = 2});

    EXPECT_EQ(testing::values_of<std::uint16_t>(local), expected(host, ReduceAccumulator::Fp32));
}

TEST(LocalReduce, CountsOnlyTheFirstEntryOfATokenThatAnExpertListsTwice) {
    using testing::host_tensor;
    const HostInputs host{
        host_tensor<std::uint16_t>({1, 2, 1}, DataFormat::Float16_b, {0x3F80, 0x4000}),
        host_tensor<std::uint32_t>({1, 2}, DataFormat::UInt32, {1, 1}),
        host_tensor<std::uint16_t>({1, 2}, DataFormat::Float16_b, {0x3F80, 0x3F80}),
        host_tensor<std::uint32_t>({1, 1}, DataFormat::UInt32, {2})};
    OneDevice device(testing::small_arch());

    const HostTensor local =
        run(device, host, {.accumulator = ReduceAccumulator::Fp32, .grid = {}, .cb_depth = 1});

    EXPECT_THAT(local.as<std::uint16_t>(), ::testing::ElementsAre(0, 0x3F80));
}

TEST(LocalReduce, GivesTheSameBytesWhereverDeliveryAndThreadsFall) {
    const HostInputs host = random_inputs({70, 3, 8, 5}, 1100);
    for (const ReduceAccumulator accumulator : kAccumulators) {
        const auto want = expected(host, accumulator);
        for (const auto delivery :
             {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
            for (const std::uint32_t threads : {1U, 2U, 5U}) {
                OneDevice device(testing::test_arch(),
                                 {.threads = threads, .delivery = delivery, .seed = 3});
                EXPECT_EQ(
                    testing::values_of<std::uint16_t>(
                        run(device, host, {.accumulator = accumulator, .grid = {}, .cb_depth = 2})),
                    want)
                    << name_of(accumulator) << ", threads " << threads << ", delivery "
                    << static_cast<int>(delivery);
            }
        }
    }
}

TEST(LocalReduce, RunsOnBlackhole) {
    const ArchSpec arch = testing::shipped_arch("blackhole_p150");
    const HostInputs host = random_inputs({150, 3, 8, 5}, 1100);
    for (const ReduceAccumulator accumulator : kAccumulators) {
        OneDevice device(arch);
        EXPECT_EQ(testing::values_of<std::uint16_t>(
                      run(device, host, {.accumulator = accumulator, .grid = {}, .cb_depth = 2})),
                  expected(host, accumulator))
            << name_of(accumulator);
    }
}

}  // namespace
}  // namespace tessera::ops::local_reduce_moe_output
