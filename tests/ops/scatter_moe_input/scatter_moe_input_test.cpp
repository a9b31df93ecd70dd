// SPDX-License-Identifier: Apache-2.0
#include "ops/scatter_moe_input/scatter_moe_input.hpp"

#include <gmock/gmock.h>

#include "tests/arch_fixture.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/golden_tensor.hpp"
#include "tests/ops/op_reference.hpp"
#include "tests/ops/routing_workload.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera::ops::scatter_moe_input {
namespace {

using testing::OneDevice;

struct HostInputs {
    HostTensor hidden_states;
    HostTensor num_routed_tokens;
    HostTensor routed_tokens;
};

HostTensor run(OneDevice& device, const HostInputs& host, const CopySpec& schedule,
               BufferType type = BufferType::DRAM) {
    const auto hidden = device.put("hidden_states", host.hidden_states, Layout::ROW_MAJOR, type);
    const auto counts = device.put("num_routed_tokens", host.num_routed_tokens);
    const auto routed = device.put("routed_tokens", host.routed_tokens);
    const Shape& shape = host.hidden_states.shape;
    const auto scattered = device.make("scattered",
                                       {{host.routed_tokens.shape[0], shape[0], shape[1]},
                                        DataFormat::Float16_b,
                                        Layout::ROW_MAJOR},
                                       type);
    device.run("scatter_moe_input",
               call_program(op(), device.arch(), &schedule, {hidden, counts, routed}, {scattered}));
    return device.get(scattered);
}

/// Row i of expert e is the row of token routed[e,i] for i < count, else zeros.
std::vector<std::uint16_t> expected(const HostInputs& host) {
    const std::size_t experts = host.routed_tokens.shape[0];
    const std::size_t tokens = host.hidden_states.shape[0];
    const std::size_t hidden = host.hidden_states.shape[1];
    std::vector<std::uint16_t> rows(experts * tokens * hidden, 0);
    for (std::size_t e = 0; e < experts; ++e) {
        for (std::size_t i = 0; i < host.num_routed_tokens.as<std::uint32_t>()[e]; ++i) {
            const std::size_t token = host.routed_tokens.as<std::uint32_t>()[e * tokens + i];
            for (std::size_t h = 0; h < hidden; ++h) {
                rows[(e * tokens + i) * hidden + h] =
                    host.hidden_states.as<std::uint16_t>()[token * hidden + h];
            }
        }
    }
    return rows;
}

HostInputs random_inputs(const testing::RoutingShape& shape, std::uint32_t hidden) {
    const auto tables = testing::tables_of(testing::random_routing(shape, 17));
    return {testing::random_bf16_tensor({shape.tokens, hidden}, 5), tables.num_routed_tokens,
            tables.routed_tokens};
}

struct Case {
    testing::RoutingShape routing;
    std::uint32_t hidden;
    CopySpec schedule;
    [[nodiscard]] std::string name() const {
        return routing.name() + "_H" + std::to_string(hidden) + "_grid" +
               std::to_string(schedule.grid.columns) + "x" + std::to_string(schedule.grid.rows) +
               "_depth" + std::to_string(schedule.cb_depth);
    }
    friend void PrintTo(const Case& test, std::ostream* out) { *out << test.name(); }
};

class ScatterMoeInputShapes : public ::testing::TestWithParam<Case> {};

TEST_P(ScatterMoeInputShapes, GathersRowsAndZeroesTheRest) {
    OneDevice device(testing::test_arch());
    const HostInputs host = random_inputs(GetParam().routing, GetParam().hidden);

    const HostTensor scattered = run(device, host, GetParam().schedule);

    EXPECT_EQ(testing::values_of<std::uint16_t>(scattered), expected(host));
}

constexpr GridSize kAll{};
INSTANTIATE_TEST_SUITE_P(
    EdgesOf, ScatterMoeInputShapes,
    ::testing::Values(Case{{1, 1, 1, 1}, 1, {kAll, 1}},        // the smallest of every extent
                      Case{{1, 2, 4, 2}, 32, {kAll, 2}},       // one token
                      Case{{31, 2, 8, 3}, 31, {{1, 1}, 2}},    // below a tile, one core
                      Case{{32, 3, 8, 8}, 33, {{2, 3}, 3}},    // row of 66 bytes, odd depth
                      Case{{33, 4, 8, 4}, 65, {kAll, 4}},      // cores with rows of two experts
                      Case{{40, 3, 6, 5}, 4096, {kAll, 2}},    // a row of exactly one piece
                      Case{{9, 2, 3, 2}, 4097, {{1, 1}, 4}},   // a piece of one element
                      Case{{5, 2, 3, 2}, 12289, {{2, 2}, 6}},  // four pieces, block of three
                      Case{{600, 1, 2, 2}, 8, {{2, 1}, 2}},    // indices read in two parts
                      Case{{64, 1, 64, 1}, 16, {kAll, 2}}),    // nearly empty expert
    [](const auto& test) { return test.param.name(); });

class ScatterMoeInputGolden : public ::testing::TestWithParam<testing::GoldenDevice> {
protected:
    HostInputs host_inputs() const {
        return {testing::golden_tensor(file_, "hidden_states"),
                testing::golden_tensor(file_, GetParam().prefix() + "num_routed_tokens"),
                testing::golden_tensor(file_, GetParam().prefix() + "routed_tokens")};
    }
    HostTensor golden() const {
        return testing::golden_tensor(file_, GetParam().prefix() + "scattered");
    }
    golden::GoldenFile file_{GetParam().file};
};

TEST_P(ScatterMoeInputGolden, EqualsTheGoldenRowsPaddingIncluded) {
    OneDevice device(testing::test_arch());

    const HostTensor scattered = run(device, host_inputs(), {.grid = {}, .cb_depth = 4});

    EXPECT_EQ(scattered.bytes, golden().bytes);
}

TEST_P(ScatterMoeInputGolden, ReferenceEqualsTheGoldenRows) {
    const HostInputs host = host_inputs();

    EXPECT_EQ(testing::reference_of(
                  op(), nullptr, {host.hidden_states, host.num_routed_tokens, host.routed_tokens})
                  .bytes,
              golden().bytes);
}

INSTANTIATE_TEST_SUITE_P(AllDevices, ScatterMoeInputGolden,
                         ::testing::ValuesIn(testing::golden_devices()),
                         [](const auto& test) { return test.param.name(); });

TEST(ScatterMoeInput, GivesTheSameBytesWhereverDeliveryAndThreadsFall) {
    const HostInputs host = random_inputs({70, 3, 8, 5}, 4100);

    for (const auto delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        for (const std::uint32_t threads : {1U, 2U, 5U}) {
            OneDevice device(testing::test_arch(),
                             {.threads = threads, .delivery = delivery, .seed = 3});
            EXPECT_EQ(
                testing::values_of<std::uint16_t>(run(device, host, {.grid = {}, .cb_depth = 4})),
                expected(host))
                << "threads " << threads << ", delivery " << static_cast<int>(delivery);
        }
    }
}

TEST(ScatterMoeInput, RunsOnBlackhole) {
    const ArchSpec arch = testing::shipped_arch("blackhole_p150");
    OneDevice device(arch);
    const HostInputs host = random_inputs({33, 3, 8, 5}, 4100);

    EXPECT_EQ(testing::values_of<std::uint16_t>(run(device, host, {.grid = {}, .cb_depth = 2})),
              expected(host));
}

TEST(ScatterMoeInput, TakesRowsFromAndToL1) {
    OneDevice device(testing::small_arch());
    const HostInputs host = random_inputs({33, 3, 8, 5}, 40);

    EXPECT_EQ(testing::values_of<std::uint16_t>(
                  run(device, host, {.grid = {}, .cb_depth = 2}, BufferType::L1)),
              expected(host));
}

}  // namespace
}  // namespace tessera::ops::scatter_moe_input
