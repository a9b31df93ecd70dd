// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/activation.hpp"

#include <gmock/gmock.h>

#include "emu/base/random_tensor.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/golden_tensor.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::ops::activation {
namespace {

using testing::golden_tensor;
using testing::run_op;

struct Case {
    const char* golden;
    const char* input;
    ActivationFunction function;
    GatePlace gate = GatePlace::First;
    friend void PrintTo(const Case& test, std::ostream* out) { *out << test.golden; }
};

class GoldenActivation : public ::testing::TestWithParam<Case> {
protected:
    /// Returns the golden tensor as rows, the op's input form.
    [[nodiscard]] HostTensor rows(const std::string& name) const {
        HostTensor tensor = golden_tensor(file_, name);
        if (tensor.shape.size() == 1) {
            tensor.shape = {10, tensor.shape[0] / 10};
        }
        return tensor;
    }
    golden::GoldenFile file_{"activations"};
};

TEST_P(GoldenActivation, StaysWithinToleranceOfTheExactValues) {
    const Case& test = GetParam();
    const RowActivationSpec spec{
        .function = test.function, .gate = test.gate, .grid = {}, .cb_depth = 2};
    const auto& stated = file_.entry_of(test.golden).at("tolerance");
    const CloseTolerance tolerance{stated.at("pcc_min").get<double>(),
                                   stated.at("max_rel_err").get<double>()};

    const auto run = run_op(op(), spec, {{rows(test.input)}}, testing::test_arch());

    const HostTensor wanted = rows(test.golden);
    const std::vector<ComparedPart> parts{{run.outputs[0], wanted}};
    const Closeness closeness = compare_close(parts, tolerance);
    EXPECT_TRUE(closeness.passes(tolerance))
        << "PCC " << closeness.pcc << ", error " << closeness.max_rel_err;
}

INSTANTIATE_TEST_SUITE_P(
    Functions, GoldenActivation,
    ::testing::Values(
        Case{"silu_and_mul", "gated_x", ActivationFunction::Silu},
        Case{"silu_and_mul_second_half_gate", "gated_x", ActivationFunction::Silu,
             GatePlace::Second},
        Case{"gelu_and_mul", "gated_x", ActivationFunction::Gelu},
        Case{"swigluoai", "gated_x", ActivationFunction::SwigluOai, GatePlace::Interleaved},
        Case{"swigluoai_split", "gated_x", ActivationFunction::SwigluOai, GatePlace::First},
        Case{"silu", "x", ActivationFunction::Silu, GatePlace::None},
        Case{"gelu_erf", "x", ActivationFunction::Gelu, GatePlace::None},
        Case{"relu2", "x", ActivationFunction::Relu2, GatePlace::None}),
    [](const auto& test) { return std::string(test.param.golden); });

class InterleavedWidths : public ::testing::TestWithParam<std::uint32_t> {};

// Pairs of a gate and an up are separated four at a time: remainders of 0 to 3, and fewer than
// four.
TEST_P(InterleavedWidths, GiveTheReference) {
    const HostTensor input = make_normal_bf16({3, 2 * GetParam()}, {.seed = 5});
    const RowActivationSpec spec{.function = ActivationFunction::SwigluOai,
                                 .gate = GatePlace::Interleaved,
                                 .grid = {},
                                 .cb_depth = 2};
    const CloseTolerance tolerance{kSpec.tolerance.min_pcc, kSpec.tolerance.max_relative_error};

    const auto run = run_op(op(), spec, {{input}}, testing::test_arch());

    const std::vector<ComparedPart> parts{{run.outputs[0], run.references[0]}};
    EXPECT_TRUE(compare_close(parts, tolerance).passes(tolerance));
}

INSTANTIATE_TEST_SUITE_P(Columns, InterleavedWidths, ::testing::Values(2, 3, 4, 5, 22, 1023, 1440));

TEST(RowActivation, NamesALimitThatItsFunctionDoesNotTake) {
    const DeviceTensor rows{{{2, 40}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor half{{{2, 20}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&rows};
    const DeviceTensor* const out[]{&half};
    const auto message = [&](ActivationFunction function) {
        const RowActivationSpec spec{
            .function = function, .gate = GatePlace::First, .alpha = 5, .limit = 1, .grid = {}};
        return usage_error_message([&] { check_call(op(), testing::test_arch(), &spec, in, out); });
    };

    EXPECT_EQ(message(ActivationFunction::Silu),
              "activation: alpha is 5, but silu does not use it; allowed: 1.702, its default\n"
              "activation: limit is 1, but silu does not use it; allowed: 7, its default");
    EXPECT_EQ(message(ActivationFunction::SwigluOai), "(nothing thrown)");
}

// Halves of 20 elements are not aligned for DRAM. Rows 1 and 3 of each batch of 3 rows count.
TEST(RowActivation, WritesTheRowsThatCount) {
    HostTensor input = make_host_tensor({2, 3, 40}, DataFormat::Float16_b);
    std::ranges::fill(input.as<std::uint16_t>(), std::uint16_t{0x3F80});
    const HostTensor counts = testing::host_tensor<std::int32_t>({2}, DataFormat::Int32, {1, 3});
    const RowActivationSpec spec{.function = ActivationFunction::Relu2, .grid = {}, .cb_depth = 1};

    const auto run = run_op(op(), spec, {{input}, {counts}}, testing::test_arch());

    const auto values = run.outputs[0].as<std::uint16_t>();
    for (std::size_t row = 0; row < 6; ++row) {
        const bool is_counted = row == 0 || row >= 3;
        EXPECT_EQ(values[row * 40 + 39], is_counted ? 0x3F80 : 0xFFFF) << row;
    }
}

}  // namespace
}  // namespace tessera::ops::activation
