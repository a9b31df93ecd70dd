// SPDX-License-Identifier: Apache-2.0
#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"

#include <gmock/gmock.h>

#include "tests/arch_fixture.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/golden_tensor.hpp"
#include "tests/ops/op_reference.hpp"
#include "tests/ops/routing_workload.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {
namespace {

using testing::OneDevice;
using testing::Routing;

struct RoutingTables {
    HostTensor num_routed_tokens;
    HostTensor routed_tokens;
    HostTensor routed_token_weights;
    HostTensor token_idx_map;
};

RoutingTables reference(const Routing& host) {
    std::vector<HostTensor> tables = testing::references_of(
        op(), nullptr, {host.selected_experts, host.routing_weights, host.local_experts});
    return {tables.at(0), tables.at(1), tables.at(2), tables.at(3)};
}

RoutingTables run(OneDevice& device, const Routing& host, const CopySpec& schedule) {
    const auto selected = device.put("selected_experts", host.selected_experts);
    const auto weights = device.put("routing_weights", host.routing_weights);
    const auto local = device.put("local_experts", host.local_experts);
    const std::uint32_t experts = local.spec.shape[0];
    const auto make = [&](const std::string& name, DataFormat format, std::uint32_t columns) {
        return device.make(name, {{experts, columns}, format, Layout::ROW_MAJOR});
    };
    const std::uint32_t tokens = selected.spec.shape[0];
    const auto counts = make("num_routed_tokens", DataFormat::UInt32, 1);
    const auto routed = make("routed_tokens", DataFormat::UInt32, tokens);
    const auto routed_weights = make("routed_token_weights", DataFormat::Float16_b, tokens);
    const auto map = make("token_idx_map", DataFormat::UInt32, tokens);
    device.run("prepare_moe_routing_tensors",
               call_program(op(), device.arch(), &schedule, {selected, weights, local},
                            {counts, routed, routed_weights, map}));
    return {device.get(counts), device.get(routed), device.get(routed_weights), device.get(map)};
}

void expect_equal(const RoutingTables& got, const RoutingTables& want) {
    using testing::values_of;
    EXPECT_EQ(values_of<std::uint32_t>(got.num_routed_tokens),
              values_of<std::uint32_t>(want.num_routed_tokens));
    EXPECT_EQ(values_of<std::uint32_t>(got.routed_tokens),
              values_of<std::uint32_t>(want.routed_tokens));
    EXPECT_EQ(values_of<std::uint16_t>(got.routed_token_weights),
              values_of<std::uint16_t>(want.routed_token_weights));
    EXPECT_EQ(values_of<std::uint32_t>(got.token_idx_map),
              values_of<std::uint32_t>(want.token_idx_map));
}

/// Returns the workload's tables, with the padding that the op guarantees.
RoutingTables expected(const Routing& host) {
    testing::Tables tables = testing::tables_of(host);
    const std::size_t tokens = host.selected_experts.shape[0];
    const auto counts = tables.num_routed_tokens.as<std::uint32_t>();
    for (std::size_t e = 0; e < counts.size(); ++e) {
        for (std::size_t i = counts[e]; i < tokens; ++i) {
            tables.routed_tokens.as<std::uint32_t>()[e * tokens + i] = 0xFFFFFFFF;
            tables.weights.as<std::uint16_t>()[e * tokens + i] = 0;
        }
    }
    return {tables.num_routed_tokens, tables.routed_tokens, tables.weights, tables.routed_tokens};
}

struct Case {
    testing::RoutingShape routing;
    CopySpec schedule;
    [[nodiscard]] std::string name() const {
        return routing.name() + "_grid" + std::to_string(schedule.grid.columns) + "x" +
               std::to_string(schedule.grid.rows) + "_depth" + std::to_string(schedule.cb_depth);
    }
    friend void PrintTo(const Case& test, std::ostream* out) { *out << test.name(); }
};

class PrepareMoeRoutingTensorsShapes : public ::testing::TestWithParam<Case> {};

TEST_P(PrepareMoeRoutingTensorsShapes, ListsEachExpertsTokensInOrder) {
    OneDevice device(testing::test_arch());
    const Routing host = testing::random_routing(GetParam().routing, 23);

    expect_equal(run(device, host, GetParam().schedule), expected(host));
}

constexpr GridSize kAll{};
INSTANTIATE_TEST_SUITE_P(
    EdgesOf, PrepareMoeRoutingTensorsShapes,
    ::testing::Values(Case{{1, 1, 1, 1}, {kAll, 1}},          // the smallest of every extent
                      Case{{1, 4, 8, 3}, {kAll, 2}},          // one token
                      Case{{31, 2, 8, 8}, {{1, 1}, 2}},       // below a tile, one core
                      Case{{33, 5, 16, 5}, {{2, 2}, 3}},      // one expert more than cores
                      Case{{64, 8, 64, 64}, {kAll, 2}},       // one expert per core
                      Case{{128, 8, 128, 128}, {kAll, 2}},    // two experts per core
                      Case{{1000, 1, 2, 2}, {kAll, 1}},       // long rows, several blocks
                      Case{{1025, 2, 2, 2}, {{1, 1}, 2}},     // every row full, two tables long
                      Case{{3000, 2, 3, 1}, {kAll, 2}},       // tables written during the run
                      Case{{2048, 2, 60, 50}, {{1, 1}, 2}},   // two passes over the tokens
                      Case{{3, 300, 400, 20}, {{2, 1}, 1}}),  // rows longer than a block
    [](const auto& test) { return test.param.name(); });

class PrepareMoeRoutingTensorsGolden : public ::testing::TestWithParam<testing::GoldenDevice> {
protected:
    Routing routing() const {
        return {testing::golden_tensor(file_, "selected_experts"),
                testing::golden_tensor(file_, "routing_weights"),
                testing::golden_row(file_, "device_expert_mapping", GetParam().device)};
    }
    RoutingTables tables() const {
        const std::string prefix = GetParam().prefix();
        return {testing::golden_tensor(file_, prefix + "num_routed_tokens"),
                testing::golden_tensor(file_, prefix + "routed_tokens"),
                testing::golden_tensor(file_, prefix + "routed_token_weights"),
                testing::golden_tensor(file_, prefix + "token_idx_map")};
    }
    golden::GoldenFile file_{GetParam().file};
};

TEST_P(PrepareMoeRoutingTensorsGolden, EqualsTheGoldenTablesPaddingIncluded) {
    OneDevice device(testing::test_arch());

    expect_equal(run(device, routing(), {.grid = {}, .cb_depth = 2}), tables());
}

TEST_P(PrepareMoeRoutingTensorsGolden, ReferenceEqualsTheGoldenTables) {
    const Routing host = routing();

    expect_equal(reference(host), tables());
}

INSTANTIATE_TEST_SUITE_P(AllDevices, PrepareMoeRoutingTensorsGolden,
                         ::testing::ValuesIn(testing::golden_devices()),
                         [](const auto& test) { return test.param.name(); });

TEST(PrepareMoeRoutingTensors, CountsATokenThatNamesAnExpertTwiceOnce) {
    OneDevice device(testing::small_arch());
    const Routing host{
        testing::host_tensor<std::uint32_t>({2, 3}, DataFormat::UInt32, {4, 7, 4, 7, 5, 5}),
        testing::host_tensor<std::uint16_t>({2, 3}, DataFormat::Float16_b, {1, 2, 3, 4, 5, 6}),
        testing::host_tensor<std::int32_t>({2}, DataFormat::Int32, {4, 5})};

    const RoutingTables tables = run(device, host, {.grid = {}, .cb_depth = 1});

    using ::testing::ElementsAre;
    EXPECT_THAT(tables.num_routed_tokens.as<std::uint32_t>(), ElementsAre(1, 1));
    EXPECT_THAT(tables.routed_tokens.as<std::uint32_t>(), ElementsAre(0, kNoToken, 1, kNoToken));
    EXPECT_THAT(tables.routed_token_weights.as<std::uint16_t>(), ElementsAre(1, 0, 5, 0));
    expect_equal(reference(host), tables);
}

TEST(PrepareMoeRoutingTensors, GivesTheSameBytesWhereverDeliveryAndThreadsFall) {
    const Routing host = testing::random_routing({1100, 2, 12, 9}, 4);

    for (const auto delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        for (const std::uint32_t threads : {1U, 2U, 5U}) {
            SCOPED_TRACE("threads " + std::to_string(threads) + ", delivery " +
                         std::to_string(static_cast<int>(delivery)));
            OneDevice device(testing::test_arch(),
                             {.threads = threads, .delivery = delivery, .seed = 3});
            expect_equal(run(device, host, {.grid = {}, .cb_depth = 2}), expected(host));
        }
    }
}

TEST(PrepareMoeRoutingTensors, RunsOnBlackhole) {
    const ArchSpec arch = testing::shipped_arch("blackhole_p150");
    OneDevice device(arch);
    const Routing host = testing::random_routing({70, 3, 8, 5}, 6);

    expect_equal(run(device, host, {.grid = {}, .cb_depth = 2}), expected(host));
}

}  // namespace
}  // namespace tessera::ops::prepare_moe_routing_tensors
