// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <numeric>

#include "tests/arch_fixture.hpp"
#include "tests/ops/activation/activation_ops.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera::ops {
namespace {

using testing::OneDevice;

struct Case {
    Shape shape;
    std::vector<std::uint32_t> counts;
};
const std::vector<Case> kCases{
    {{1, 32, 32}, {32}},           {{3, 31, 31}, {1, 30, 31}}, {{3, 33, 33}, {33, 0, 32}},
    {{4, 40, 96}, {40, 0, 1, 33}}, {{2, 1, 72}, {1, 0}},       {{2, 40, 64}, {0, 0}},
};

/// Rows after the counts are NaN.
ActivationInputs make_inputs(const Case& test) {
    return {testing::routed_values(test.shape, test.counts, 21),
            testing::routed_values(test.shape, test.counts, 22), test.counts};
}

ActivationSpec on_grid(GridSize grid, std::uint32_t cb_depth) {
    return {.grid = grid, .cb_depth = cb_depth};
}

template <class Op>
void expect_reference(const ActivationInputs& inputs, const HostTensor& output) {
    const CloseTolerance tolerance{Op::op().spec.tolerance.min_pcc,
                                   Op::op().spec.tolerance.max_relative_error};
    const Closeness closeness = compare_close(output, reference<Op>(inputs), tolerance);
    EXPECT_TRUE(closeness.passes(tolerance)) << to_string(output.shape) << ": pcc " << closeness.pcc
                                             << ", error " << closeness.max_rel_err;
    EXPECT_EQ(testing::nonzero_rows_behind(output, inputs.counts), std::vector<std::size_t>{});
}

template <class Op>
class Activation : public ::testing::Test {};
struct OpNames {
    template <class Op>
    static std::string GetName(int) {
        return std::string(Op::op().spec.name);
    }
};
using Ops = ::testing::Types<Silu, Mul, SiluMul>;
TYPED_TEST_SUITE(Activation, Ops, OpNames);

TYPED_TEST(Activation, AgreesWithTheReferenceAndIsZeroBehindTheTokensOnAllCores) {
    for (const Case& test : kCases) {
        OneDevice device(testing::small_arch());
        const ActivationInputs inputs = make_inputs(test);

        expect_reference<TypeParam>(
            inputs, run_activation<TypeParam>(device, inputs, on_grid({}, 2)).output);
    }
}

TYPED_TEST(Activation, AgreesWithTheReferenceOnOneCoreWithBuffersOfOneTile) {
    for (const Case& test : kCases) {
        OneDevice device(testing::small_arch());
        const ActivationInputs inputs = make_inputs(test);

        expect_reference<TypeParam>(
            inputs, run_activation<TypeParam>(device, inputs, on_grid({1, 1}, 1)).output);
    }
}

TYPED_TEST(Activation, PacksOnlyTilesThatHoldTokens) {
    OneDevice device(testing::small_arch());

    const auto result = run_activation<TypeParam>(device, make_inputs(kCases[3]), on_grid({}, 2));

    const auto packed = std::accumulate(
        result.launch.cores.begin(), result.launch.cores.end(), std::uint64_t{0},
        [](std::uint64_t total, const CoreActivity& core) { return total + core.tiles_packed; });
    EXPECT_EQ(packed, (2U + 0U + 1U + 2U) * 3U);
}

TYPED_TEST(Activation, GivesTheSameBytesAtAnyDeliveryAndThreads) {
    const ActivationInputs inputs = make_inputs(kCases[3]);
    OneDevice plain(testing::test_arch());
    const HostTensor first = run_activation<TypeParam>(plain, inputs, on_grid({}, 2)).output;
    const std::vector<SessionOptions> runs{
        {.threads = 2, .delivery = NocDelivery::AtIssue},
        {.threads = 5, .delivery = NocDelivery::AtBarrier},
        {.threads = 1, .delivery = NocDelivery::Random, .seed = 9}};
    for (const SessionOptions& options : runs) {
        OneDevice device(testing::test_arch(), options);

        EXPECT_EQ(run_activation<TypeParam>(device, inputs, on_grid({}, 2)).output.bytes,
                  first.bytes)
            << options.threads << " threads";
    }
}

TYPED_TEST(Activation, RunsOnBlackhole) {
    const ArchSpec arch = testing::shipped_arch("blackhole_p150");
    const ActivationInputs inputs = make_inputs(kCases[3]);
    OneDevice device(arch);

    expect_reference<TypeParam>(inputs,
                                run_activation<TypeParam>(device, inputs, on_grid({}, 2)).output);
}

TYPED_TEST(Activation, Bfloat16DstStaysWithinTwoRoundings) {
    const ActivationInputs inputs = make_inputs(kCases[3]);
    OneDevice device(testing::small_arch());
    ActivationSpec schedule = on_grid({}, 2);
    schedule.fp32_dest_acc = false;

    const HostTensor output = run_activation<TypeParam>(device, inputs, schedule).output;

    EXPECT_LT(compare_close(output, reference<TypeParam>(inputs), {}).max_rel_err, 3.0 / 256);
}

TEST(SiluMul, RoundsOnceWhereSiluAndMulRoundTwice) {
    const ActivationInputs inputs = make_inputs({{1, 64, 256}, {64}});
    const HostTensor expected = reference<SiluMul>(inputs);
    OneDevice device(testing::small_arch());

    const HostTensor fused = run_activation<SiluMul>(device, inputs, on_grid({}, 2)).output;
    const HostTensor activated = run_activation<Silu>(device, inputs, on_grid({}, 2)).output;
    const HostTensor staged =
        run_activation<Mul>(device, {activated, inputs.up, inputs.counts}, on_grid({}, 2)).output;

    const UlpTolerance half_ulp{.max_ulp = 0.501, .atol = 0, .mismatch_fraction_max = 1};
    EXPECT_TRUE(compare_ulps(fused, expected, half_ulp).passes(half_ulp));
    EXPECT_FALSE(compare_ulps(staged, expected, half_ulp).passes(half_ulp));
}

TEST(ActivationReferences, AreTheFormulasInDouble) {
    const auto gate = testing::host_tensor<float>({1, 2, 2}, DataFormat::Float32, {1, -2, 3, 4});
    const auto up = testing::host_tensor<float>({1, 2, 2}, DataFormat::Float32, {3, 5, 7, 9});
    const std::vector<std::uint32_t> counts{1};

    // 1 / (1 + e^-1) = 0.731058578630…, -2 / (1 + e^2) = -0.238405844044…
    const auto nearly = [](double value) { return ::testing::FloatEq(static_cast<float>(value)); };
    EXPECT_THAT(
        reference<Silu>({gate, up, counts}).as<float>(),
        ::testing::ElementsAre(nearly(0.7310585786300049), nearly(-0.2384058440442351), 0, 0));
    EXPECT_THAT(reference<Mul>({gate, up, counts}).as<float>(),
                ::testing::ElementsAre(3, -10, 0, 0));
    EXPECT_THAT(reference<SiluMul>({gate, up, counts}).as<float>(),
                ::testing::ElementsAre(nearly(3 * 0.7310585786300049),
                                       nearly(5 * -0.2384058440442351), 0, 0));
}

}  // namespace
}  // namespace tessera::ops
