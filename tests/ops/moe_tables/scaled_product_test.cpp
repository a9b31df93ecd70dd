// SPDX-License-Identifier: Apache-2.0
// Products of expert rows whose operands have scales of every allowed shape.
#include <gmock/gmock.h>

#include "ops/masked_mm/masked_mm.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/op_run.hpp"
#include "tests/ops/routing_workload.hpp"

namespace tessera::ops {
namespace {

using testing::host_tensor;
using testing::random_bf16_tensor;
using testing::run_op;

// Two experts with three rows each; K is a block of 128 and one of 72, N one of 128 and one of 5.
constexpr std::uint32_t kExperts = 2;
constexpr std::uint32_t kRows = 3;
constexpr std::uint32_t kK = 200;
constexpr std::uint32_t kN = 133;

/// Scales of weights and rows, and the product of the two factors of a column and a row per K
/// block.
struct Scales {
    std::string name;
    Shape of_weights;
    Shape of_rows;  ///< empty: none
    friend void PrintTo(const Scales& scales, std::ostream* out) { *out << scales.name; }
};

/// Returns a different power of two everywhere, so that products of scales are exact.
float scale_at(std::size_t index) {
    return std::ldexp(1.0F, static_cast<int>(index * 5 % 7) - 3);
}

HostTensor scales_of(const Shape& shape) {
    HostTensor tensor = make_host_tensor(shape, DataFormat::Float32);
    for (std::size_t i = 0; i < num_elements(shape); ++i) {
        tensor.as<float>()[i] = scale_at(i);
    }
    return tensor;
}

/// Returns the scale of row `at[0]`, column or row `at[1]` and element `at[2]` of K.
float scale_for(const Shape& shape, std::size_t expert, std::size_t row, std::size_t rows,
                std::size_t k) {
    const std::size_t n_scales = shape[1];
    const std::size_t own = n_scales == 1 ? 0 : n_scales == rows ? row : row / 128;
    const std::size_t block = shape[2] == 1 ? 0 : k / 128;
    return scale_at((expert * n_scales + own) * shape[2] + block);
}

class ScaledProduct : public ::testing::TestWithParam<Scales> {};

TEST_P(ScaledProduct, MultipliesEachElementWithTheScalesOfItsBlock) {
    const Scales& scales = GetParam();
    const HostTensor rows = random_bf16_tensor({kExperts, kRows, kK}, 1);
    const HostTensor weights = random_bf16_tensor({kExperts, kN, kK}, 2);
    std::vector<testing::OpInput> inputs{
        {rows},
        {weights, Layout::TILE},
        {host_tensor<std::int32_t>({2}, DataFormat::Int32, {kRows, kRows})},
        {scales_of(scales.of_weights)}};
    if (!scales.of_rows.empty()) {
        inputs.push_back({scales_of(scales.of_rows)});
    }
    masked_mm::MaskedSpec spec;
    spec.strip = 3;
    spec.k_block = 3;  // blocks of 4 tiles begin in the middle of a push
    spec.k_chunk = 2;
    spec.cb_depth = 2;

    const auto run = run_op(masked_mm::op(), spec, inputs, testing::test_arch());

    const auto value = [](const HostTensor& tensor, std::size_t at) {
        return double{std::bit_cast<float>(std::uint32_t{tensor.as<std::uint16_t>()[at]} << 16U)};
    };
    for (std::size_t row = 0; row < kExperts * kRows; ++row) {
        for (std::size_t n = 0; n < kN; ++n) {
            double sum = 0;
            double size = 0;
            for (std::size_t k = 0; k < kK; ++k) {
                double part = value(rows, row * kK + k) *
                              value(weights, (row / kRows * kN + n) * kK + k) *
                              scale_for(scales.of_weights, row / kRows, n, kN, k);
                if (!scales.of_rows.empty()) {
                    const Shape& shape = scales.of_rows;
                    part *= scale_for({1, shape[0], shape[1]}, 0, shape[0] == 1 ? 0 : row,
                                      kExperts * kRows, k);
                }
                sum += part;
                size += std::fabs(part);
            }
            // bfloat16 rounds by 2^-9 of the sum; fp32 sums and TF32 scales round by less of its
            // terms.
            ASSERT_NEAR(value(run.outputs[0], row * kN + n), sum,
                        std::fabs(sum) / 256 + size / 1024)
                << row << " " << n;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ScaledProduct,
                         ::testing::Values(Scales{"Matrix", {2, 1, 1}, {}},
                                           Scales{"MatrixAndRow", {2, 1, 1}, {6, 1}},
                                           Scales{"MatrixAndTensor", {2, 1, 1}, {1, 1}},
                                           Scales{"Column", {2, 133, 1}, {}},
                                           Scales{"ColumnAndRow", {2, 133, 1}, {6, 1}},
                                           Scales{"ColumnBlocks", {2, 133, 2}, {}},
                                           Scales{"SquaresAndRowBlocks", {2, 2, 2}, {6, 2}},
                                           Scales{"SquaresAndTensor", {2, 2, 2}, {1, 1}}),
                         [](const auto& test) { return test.param.name; });

std::string refusal_of(Shape weight_scales, Shape row_scales) {
    const auto tensor = [](Shape shape, DataFormat format, Layout layout) {
        return DeviceTensor{{std::move(shape), format, layout}, {}};
    };
    const DeviceTensor rows = tensor({2, 3, 200}, DataFormat::Fp8_e4m3, Layout::ROW_MAJOR);
    const DeviceTensor weights = tensor({2, 133, 200}, DataFormat::Fp8_e4m3, Layout::TILE);
    const DeviceTensor counts = tensor({2}, DataFormat::Int32, Layout::ROW_MAJOR);
    const DeviceTensor of_weights =
        tensor(std::move(weight_scales), DataFormat::Float32, Layout::ROW_MAJOR);
    const DeviceTensor of_rows =
        tensor(std::move(row_scales), DataFormat::Float32, Layout::ROW_MAJOR);
    masked_mm::MaskedSpec spec;
    spec.strip = spec.k_block = spec.k_chunk = spec.cb_depth = 1;
    const std::array<const DeviceTensor*, 5> inputs{&rows, &weights, &counts, &of_weights,
                                                    &of_rows};
    return usage_error_message(
        [&] { check_call(masked_mm::op(), testing::test_arch(), &spec, inputs, {}); });
}

TEST(ScaledProductErrors, AScaleOfAnotherShapeIsToldTheAllowedOnes) {
    EXPECT_EQ(refusal_of({2, 2, 2}, {6, 2}), "(nothing thrown)");
    EXPECT_EQ(refusal_of({2, 2, 1}, {6, 2}),
              "masked_mm: expert_scales is (2,2,1); allowed: one of (2), (2,1,1), (2,133,1), "
              "(2,133,2), (2,2,2)");
    EXPECT_EQ(refusal_of({2, 2, 2}, {3, 2}),
              "masked_mm: row_scales is (3,2); allowed: one of (1), (1,1), (6,1), (6,2), (2,3,1), "
              "(2,3,2)");
}

}  // namespace
}  // namespace tessera::ops
