// SPDX-License-Identifier: Apache-2.0
// The traces of a whole layer: what they must not depend on.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ops/moe_v2/golden_layer.hpp"

namespace tessera {
namespace {

using testing::default_ops;
using testing::GoldenLayer;

struct LayerTrace {
    std::vector<std::string> names;
    std::vector<LaunchTrace> launches;
};

LayerTrace trace_of(const GoldenLayer& layer, SessionOptions options) {
    LayerTrace trace;
    options.trace = TraceMode::On;
    options.trace_sink = [&trace](const Trace& so_far, LaunchTrace&& launch) {
        trace.names = so_far.names;
        trace.launches.push_back(std::move(launch));
    };
    static_cast<void>(run_layer(layer, default_ops(), options));
    return trace;
}

void expect_equal(const LayerTrace& trace, const LayerTrace& expected) {
    EXPECT_EQ(trace.names, expected.names);
    ASSERT_EQ(trace.launches.size(), expected.launches.size());
    for (std::size_t i = 0; i < trace.launches.size(); ++i) {
        EXPECT_TRUE(trace.launches[i] == expected.launches[i]) << trace.launches[i].name;
    }
}

struct Variant {
    const char* name;
    SessionOptions options;
};

class MoeV2Trace : public ::testing::TestWithParam<Variant> {};

TEST_P(MoeV2Trace, IsTheSame) {
    const GoldenLayer layer("v2_d2_uneven");
    const LayerTrace expected = trace_of(layer, {.threads = 1});

    const LayerTrace trace = trace_of(layer, GetParam().options);

    expect_equal(trace, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, MoeV2Trace,
    ::testing::Values(Variant{"TwoThreads", {.threads = 2}}, Variant{"FiveThreads", {.threads = 5}},
                      Variant{"AtIssue", {.threads = 1, .delivery = NocDelivery::AtIssue}},
                      Variant{"Random", {.threads = 2, .delivery = NocDelivery::Random, .seed = 7}},
                      Variant{"MathsOff", {.threads = 2, .maths = Maths::Off}}),
    [](const auto& row) { return row.param.name; });

// Neither does control flow read weights, nor does their making show in a trace.
TEST(MoeV2TraceOfNoWeights, IsTheSameWithMathsOff) {
    const GoldenLayer layer("v2_d2_uneven");
    const LayerTrace expected = trace_of(layer, {.threads = 1});
    ops::moe_v2::MoeInputs inputs = layer.inputs();
    inputs.make_weights = nullptr;

    EmulatedSession session({.shape = {1, layer.num_devices()},
                             .topology = Topology::Line,
                             .device = testing::test_arch().name},
                            testing::test_arch(),
                            {.threads = 2, .trace = TraceMode::On, .maths = Maths::Off});
    static_cast<void>(ops::moe_v2::run(session, inputs, default_ops()));

    expect_equal({session.trace().names, session.trace().launches}, expected);
}

}  // namespace
}  // namespace tessera
