// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/tensor_expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

HostTensor floats(Shape shape, const std::vector<float>& values) {
    HostTensor tensor = make_host_tensor(std::move(shape), DataFormat::Float32);
    std::ranges::copy(values, tensor.as<float>().begin());
    return tensor;
}

std::optional<HostTensor> read(std::string_view name) {
    if (name == "a") {
        return floats({2, 3}, {1, 2, 3, 4, 5, 6});
    }
    if (name == "b") {
        return floats({1, 3}, {10, 20, 30});
    }
    if (name == "c") {
        return floats({3, 2}, {1, 0, 0, 1, 1, 1});
    }
    return std::nullopt;
}

std::vector<float> values_of(const std::string& text) {
    const HostTensor tensor = evaluate_tensors(text, read);
    const auto values = tensor.as<float>();
    return {values.begin(), values.end()};
}

std::string refusal_of(const std::string& text) {
    try {
        (void)evaluate_tensors(text, read);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(TensorExpression, BroadcastsRowsOverMatrices) {
    EXPECT_THAT(values_of("a + b"), testing::ElementsAre(11, 22, 33, 14, 25, 36));
    EXPECT_THAT(values_of("2 * a - b / 10"), testing::ElementsAre(1, 2, 3, 7, 8, 9));
}

TEST(TensorExpression, MultipliesMatrices) {
    EXPECT_THAT(values_of("a @ c"), testing::ElementsAre(4, 5, 10, 11));
    EXPECT_EQ(evaluate_tensors("a @ c", read).shape, (Shape{2, 2}));
    EXPECT_THAT(values_of("transpose(c) @ transpose(a)"), testing::ElementsAre(4, 10, 5, 11));
}

// Element (i, j) of the stack is i + 1 times 10 to the power j.
TEST(TensorExpression, BroadcastsStacksOfMatrices) {
    const ReadTensor stacks = [](std::string_view name) {
        return std::optional(name == "a" ? floats({2, 1, 1, 1}, {1, 2})
                                         : floats({1, 3, 1, 1}, {1, 10, 100}));
    };

    const HostTensor product = evaluate_tensors("a @ b", stacks);

    EXPECT_EQ(product.shape, (Shape{2, 3, 1, 1}));
    EXPECT_THAT(product.as<float>(), testing::ElementsAre(1, 10, 100, 2, 20, 200));
}

TEST(TensorExpression, HasItsShapeBeforeThereAreValues) {
    const DescribeTensor describe = [](std::string_view name) {
        return std::optional(TensorSpec{.shape = name == "a" ? Shape{4, 2, 3} : Shape{3, 5}});
    };

    EXPECT_EQ(shape_of_expression("gelu(a @ b) * 2", describe), (Shape{4, 2, 5}));
    EXPECT_EQ(shape_of_expression("sum(a) + transpose(mean(a))", describe), (Shape{4, 2, 2}));
    EXPECT_EQ(shape_of_expression("max(transpose(b), 1)", describe), (Shape{5, 3}));
    EXPECT_THAT([&] { (void)shape_of_expression("b @ a", describe); },
                testing::ThrowsMessage<UsageError>("'b @ a': (3,5) @ (4,2,3): columns of the left "
                                                   "must equal rows of the right"));
}

TEST(TensorExpression, AppliesFunctions) {
    EXPECT_THAT(values_of("sum(a)"), testing::ElementsAre(6, 15));
    EXPECT_THAT(values_of("mean(square(a))"),
                testing::ElementsAre(testing::FloatEq(14.F / 3), testing::FloatEq(77.F / 3)));
    EXPECT_THAT(values_of("max(a, 4)"), testing::ElementsAre(4, 4, 4, 4, 5, 6));
    // gelu(1) = Φ(1) = 0.841345.
    EXPECT_NEAR(values_of("gelu(a)")[0], 0.841345, 1e-6);
    EXPECT_NEAR(values_of("silu(a)")[0], 1 / (1 + std::exp(-1.0)), 1e-7);
}

TEST(TensorExpression, NamesTheTensorsItUses) {
    EXPECT_THAT(tensor_names("gelu(x + bias) * x"), testing::ElementsAre("x", "bias"));
}

TEST(TensorExpressionErrors, NameWhatIsWrong) {
    EXPECT_EQ(refusal_of("a + z"), "'a + z': z is not an input of the step");
    EXPECT_EQ(refusal_of("a + c"), "'a + c': shapes (2,3) and (3,2) cannot be broadcast");
    EXPECT_EQ(refusal_of("a @ b"),
              "'a @ b': (2,3) @ (1,3): columns of the left must equal rows of the right");
    EXPECT_EQ(refusal_of("geluu(a)"), "'geluu(a)': unknown function geluu, did you mean gelu?");
    EXPECT_EQ(refusal_of("max(a)"), "'max(a)': max takes 2 arguments, found 1");
    EXPECT_EQ(refusal_of("a +"), "'a +': a tensor or a number is missing at the end");
}

}  // namespace
}  // namespace tessera::pipeline
