// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/moe_activation/moe_activation.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/golden_tensor.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::ops::moe_activation {
namespace {

using testing::golden_tensor;
using testing::run_op;

struct Case {
    const char* golden;
    const char* input;
    Function function;
    Gate gate = Gate::Default;
    friend void PrintTo(const Case& test, std::ostream* out) { *out << test.golden; }
};

class GoldenActivation : public ::testing::TestWithParam<Case> {
protected:
    /// The golden tensor as rows, as the op takes them.
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
    const MoeActivationSpec spec{
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

INSTANTIATE_TEST_SUITE_P(Functions, GoldenActivation,
                         ::testing::Values(Case{"silu_and_mul", "gated_x", Function::Silu},
                                           Case{"silu_and_mul_second_half_gate", "gated_x",
                                                Function::Silu, Gate::Second},
                                           Case{"gelu_and_mul", "gated_x", Function::Gelu},
                                           Case{"swigluoai", "gated_x", Function::SwigluOai},
                                           Case{"swigluoai_split", "gated_x", Function::SwigluOai,
                                                Gate::First},
                                           Case{"silu", "x", Function::SiluNoMul},
                                           Case{"gelu_erf", "x", Function::GeluNoMul},
                                           Case{"relu2", "x", Function::Relu2NoMul}),
                         [](const auto& test) { return std::string(test.param.golden); });

// Halves of 20 elements do not lie at DRAM's alignment; of each batch of 3 rows 1 and 3 count.
TEST(MoeActivation, WritesTheRowsThatCount) {
    HostTensor input = make_host_tensor({2, 3, 40}, DataFormat::Float16_b);
    std::ranges::fill(input.as<std::uint16_t>(), std::uint16_t{0x3F80});
    const HostTensor counts = testing::host_tensor<std::int32_t>({2}, DataFormat::Int32, {1, 3});
    const MoeActivationSpec spec{.function = Function::Relu2NoMul, .grid = {}, .cb_depth = 1};

    const auto run = run_op(op(), spec, {{input}, {counts}}, testing::test_arch());

    const auto values = run.outputs[0].as<std::uint16_t>();
    for (std::size_t row = 0; row < 6; ++row) {
        const bool is_counted = row == 0 || row >= 3;
        EXPECT_EQ(values[row * 40 + 39], is_counted ? 0x3F80 : 0xFFFF) << row;
    }
}

}  // namespace
}  // namespace tessera::ops::moe_activation
