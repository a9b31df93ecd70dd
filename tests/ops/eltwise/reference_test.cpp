// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/eltwise/eltwise.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/op_reference.hpp"

namespace tessera::ops::eltwise {
namespace {

struct Row {
    EltwiseFunction function;
    float expected;  ///< for a = 0.5 and b = 2, from tables
};

HostTensor values_of(EltwiseFunction function, const std::vector<HostTensor>& inputs) {
    const EltwiseSpec schedule{.function = function};
    return testing::reference_of(op(), &schedule, inputs);
}

class EltwiseReference : public ::testing::TestWithParam<Row> {};

TEST_P(EltwiseReference, IsTheFunctionsValue) {
    const HostTensor a = testing::host_tensor<float>({1, 1}, DataFormat::Float32, {0.5F});
    const HostTensor b = testing::host_tensor<float>({1, 1}, DataFormat::Float32, {2.0F});
    std::vector<HostTensor> inputs{a, b};
    inputs.resize(num_inputs(GetParam().function));

    EXPECT_FLOAT_EQ(values_of(GetParam().function, inputs).as<float>()[0], GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    AtOneHalf, EltwiseReference,
    ::testing::Values(Row{EltwiseFunction::Add, 2.5F}, Row{EltwiseFunction::Sub, -1.5F},
                      Row{EltwiseFunction::Mul, 1.0F}, Row{EltwiseFunction::Div, 0.25F},
                      Row{EltwiseFunction::Max, 2.0F}, Row{EltwiseFunction::Min, 0.5F},
                      Row{EltwiseFunction::Abs, 0.5F}, Row{EltwiseFunction::Exp, 1.6487213F},
                      Row{EltwiseFunction::Exp2, 1.4142136F},
                      Row{EltwiseFunction::Gelu, 0.3457312F}, Row{EltwiseFunction::Identity, 0.5F},
                      Row{EltwiseFunction::Log, -0.6931472F}, Row{EltwiseFunction::Negative, -0.5F},
                      Row{EltwiseFunction::Recip, 2.0F}, Row{EltwiseFunction::Relu, 0.5F},
                      Row{EltwiseFunction::Rsqrt, 1.4142136F},
                      Row{EltwiseFunction::Sigmoid, 0.6224593F}, Row{EltwiseFunction::Sign, 1.0F},
                      Row{EltwiseFunction::Silu, 0.3112297F},
                      Row{EltwiseFunction::Sqrt, 0.7071068F}, Row{EltwiseFunction::Square, 0.25F},
                      Row{EltwiseFunction::Tanh, 0.4621172F}),
    [](const auto& test) { return std::string(name_of(test.param.function)); });

TEST(EltwiseReference, TakesEveryElementOfAnUnevenNumber) {
    HostTensor input = make_host_tensor({3, 4097}, DataFormat::Float32);
    for (std::size_t i = 0; i < input.as<float>().size(); ++i) {
        input.as<float>()[i] = static_cast<float>(i);
    }

    const HostTensor output = values_of(EltwiseFunction::Negative, {input});

    for (std::size_t i = 0; i < output.as<float>().size(); ++i) {
        ASSERT_EQ(output.as<float>()[i], -static_cast<float>(i)) << i;
    }
}

}  // namespace
}  // namespace tessera::ops::eltwise
