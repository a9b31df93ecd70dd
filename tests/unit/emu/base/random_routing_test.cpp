// SPDX-License-Identifier: Apache-2.0
#include "emu/base/random_routing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "emu/base/bf16.hpp"

namespace tessera {
namespace {

RoutingDraw workload(RoutingKind kind, std::uint32_t tokens, std::uint32_t experts,
                     std::uint32_t top_k) {
    RoutingDraw spec;
    spec.tokens = tokens;
    spec.experts = experts;
    spec.top_k = top_k;
    spec.kind = kind;
    spec.zipf_exponent = 1.0;
    spec.seed = 77;
    return spec;
}

std::vector<std::uint32_t> tokens_per_expert(const HostTensor& table, std::uint32_t experts) {
    std::vector<std::uint32_t> counts(experts);
    for (const std::uint32_t expert : table.as<std::uint32_t>()) {
        ++counts.at(expert);
    }
    return counts;
}

struct TableCase {
    std::string name;
    RoutingKind kind;
    std::uint32_t tokens;
    std::uint32_t experts;
    std::uint32_t top_k;
};

class RoutingTables : public testing::TestWithParam<TableCase> {};

TEST_P(RoutingTables, HoldKnownExpertsAndNoneTwiceInARow) {
    const TableCase& c = GetParam();

    const HostTensor table = make_selected_experts(workload(c.kind, c.tokens, c.experts, c.top_k));

    ASSERT_EQ(table.shape, (Shape{c.tokens, c.top_k}));
    ASSERT_EQ(table.format, DataFormat::UInt32);
    const auto ids = table.as<std::uint32_t>();
    for (std::size_t token = 0; token < c.tokens; ++token) {
        const auto row = ids.subspan(token * c.top_k, c.top_k);
        EXPECT_EQ(std::set(row.begin(), row.end()).size(), c.top_k) << token;
        EXPECT_LT(*std::ranges::max_element(row), c.experts) << token;
    }
}

TEST_P(RoutingTables, AreTheSameForTheSameSeedAndOthersForAnother) {
    const TableCase& c = GetParam();
    RoutingDraw spec = workload(c.kind, c.tokens, c.experts, c.top_k);
    const HostTensor first = make_selected_experts(spec);

    EXPECT_EQ(make_selected_experts(spec).bytes, first.bytes);
    if (c.tokens > 8 && c.top_k > 1 && c.top_k < c.experts) {
        spec.seed = 78;
        EXPECT_NE(make_selected_experts(spec).bytes, first.bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Table, RoutingTables,
    testing::Values(TableCase{"Uniform", RoutingKind::Uniform, 128, 128, 8},
                    TableCase{"Zipf", RoutingKind::Zipf, 128, 256, 8},
                    TableCase{"OneExpert", RoutingKind::OneExpert, 40, 8, 3},
                    TableCase{"HotAndEmpty", RoutingKind::HotAndEmpty, 40, 8, 3},
                    TableCase{"AllExperts", RoutingKind::Zipf, 10, 8, 8},
                    TableCase{"AllExpertsHot", RoutingKind::HotAndEmpty, 10, 8, 8},
                    TableCase{"OneOfOne", RoutingKind::OneExpert, 3, 1, 1},
                    TableCase{"HotOneOfOne", RoutingKind::HotAndEmpty, 3, 1, 1},
                    TableCase{"NoTokens", RoutingKind::Uniform, 0, 4, 2}),
    [](const auto& test) { return test.param.name; });

// Binomial with p = K/E: five standard deviations around the mean.
TEST(UniformRouting, GivesExpertsEqualShares) {
    const auto counts =
        tokens_per_expert(make_selected_experts(workload(RoutingKind::Uniform, 8192, 16, 4)), 16);

    for (const std::uint32_t count : counts) {
        EXPECT_NEAR(count, 2048, 5 * std::sqrt(8192 * 0.25 * 0.75));
    }
}

// With one choice per token, the shares are the weights themselves: 1/r over the harmonic number.
TEST(ZipfRouting, GivesRanksTheirShares) {
    auto counts =
        tokens_per_expert(make_selected_experts(workload(RoutingKind::Zipf, 65536, 8, 1)), 8);

    std::ranges::sort(counts, std::greater<>());
    const double harmonic = 761.0 / 280;  // 1 + 1/2 + … + 1/8
    for (std::size_t rank = 0; rank < 8; ++rank) {
        const double p = 1 / (static_cast<double>(rank) + 1) / harmonic;
        EXPECT_NEAR(counts[rank], 65536 * p, 5 * std::sqrt(65536 * p * (1 - p))) << rank;
    }
}

TEST(ZipfRouting, WithExponentZeroIsUniform) {
    RoutingDraw spec = workload(RoutingKind::Zipf, 8192, 16, 4);
    spec.zipf_exponent = 0;

    for (const std::uint32_t count : tokens_per_expert(make_selected_experts(spec), 16)) {
        EXPECT_NEAR(count, 2048, 5 * std::sqrt(8192 * 0.25 * 0.75));
    }
}

TEST(ZipfRouting, TakesExponentsThatLeaveNearlyNoWeight) {
    RoutingDraw spec = workload(RoutingKind::Zipf, 20, 64, 64);
    spec.zipf_exponent = 50;

    const auto counts = tokens_per_expert(make_selected_experts(spec), 64);

    EXPECT_EQ(counts, std::vector<std::uint32_t>(64, 20));
}

TEST(OneExpertRouting, SendsEveryTokenToExpertZero) {
    const auto counts =
        tokens_per_expert(make_selected_experts(workload(RoutingKind::OneExpert, 50, 8, 1)), 8);

    EXPECT_EQ(counts, (std::vector<std::uint32_t>{50, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(HotAndEmptyRouting, HasHotAndEmptyExperts) {
    auto counts = tokens_per_expert(
        make_selected_experts(workload(RoutingKind::HotAndEmpty, 200, 128, 8)), 128);

    EXPECT_EQ(std::ranges::count(counts, 200U), 4);  // K/2
    EXPECT_EQ(std::ranges::count(counts, 0U), 32);   // E/4
}

std::vector<double> row_sums(const HostTensor& weights) {
    std::vector<double> sums(weights.shape[0]);
    const auto bits = weights.as<std::uint16_t>();
    for (std::size_t i = 0; i < bits.size(); ++i) {
        sums[i / weights.shape[1]] += bf16_to_float(bits[i]);
    }
    return sums;
}

// Each of 8 weights is within 2^-9 of itself after rounding, hence their sum too.
TEST(RoutingWeightsOfWorkload, SoftmaxRowsSumToOne) {
    const HostTensor weights = make_routing_weights(workload(RoutingKind::Uniform, 100, 16, 8));

    ASSERT_EQ(weights.shape, (Shape{100, 8}));
    ASSERT_EQ(weights.format, DataFormat::Float16_b);
    for (const double sum : row_sums(weights)) {
        EXPECT_NEAR(sum, 1, std::ldexp(1, -8));
    }
}

TEST(RoutingWeightsOfWorkload, SigmoidRowsSumToTheScalingFactor) {
    RoutingDraw spec = workload(RoutingKind::Uniform, 100, 16, 8);
    spec.weights = RoutingWeights::Sigmoid;

    for (const double sum : row_sums(make_routing_weights(spec))) {
        EXPECT_NEAR(sum, 2.5, 2.5 * std::ldexp(1, -8));
    }
}

TEST(RoutingWeightsOfWorkload, SoftmaxOfOneScoreIsOne) {
    const HostTensor weights = make_routing_weights(workload(RoutingKind::Uniform, 3, 8, 1));

    EXPECT_TRUE(std::ranges::all_of(weights.as<std::uint16_t>(),
                                    [](std::uint16_t bits) { return bits == 0x3F80; }));
}

std::vector<std::int32_t> mapping_of(ExpertMapping mapping, std::uint32_t experts,
                                     std::uint32_t devices) {
    RoutingDraw spec = workload(RoutingKind::Uniform, 1, experts, 1);
    spec.mapping = mapping;
    const HostTensor table = make_device_expert_mapping(spec, devices);
    EXPECT_EQ(table.shape, (Shape{devices, experts / devices}));
    const auto ids = table.as<std::int32_t>();
    return {ids.begin(), ids.end()};
}

TEST(DeviceExpertMapping, IsContiguousOrDealtRoundRobin) {
    EXPECT_EQ(mapping_of(ExpertMapping::Contiguous, 8, 2),
              (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(mapping_of(ExpertMapping::RoundRobin, 8, 2),
              (std::vector<std::int32_t>{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(DeviceExpertMapping, PermutedHoldsEachExpertOnce) {
    std::vector<std::int32_t> ids = mapping_of(ExpertMapping::Permuted, 32, 4);
    std::vector<std::int32_t> in_order(32);
    std::iota(in_order.begin(), in_order.end(), 0);

    EXPECT_NE(ids, in_order);
    std::ranges::sort(ids);
    EXPECT_EQ(ids, in_order);
}

}  // namespace
}  // namespace tessera
