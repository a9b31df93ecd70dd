// SPDX-License-Identifier: Apache-2.0
// Products with 4-bit weight codes and biases, against plain loops over their numbers.
#include <gmock/gmock.h>

#include <array>
#include <cmath>

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

constexpr std::uint32_t kExperts = 2;
constexpr std::uint32_t kRows = 3;
constexpr std::uint32_t kN = 37;

double bf16_value(std::uint16_t bits) {
    return double{std::bit_cast<float>(std::uint32_t{bits} << 16U)};
}

HostTensor bytes(Shape shape, std::uint32_t step, std::uint32_t first, std::uint32_t below) {
    HostTensor tensor = make_host_tensor(std::move(shape), DataFormat::UInt8);
    std::uint32_t state = first;
    for (std::uint8_t& byte : tensor.as<std::uint8_t>()) {
        state = state * 1664525U + step;
        byte = static_cast<std::uint8_t>((state >> 24U) % below);
    }
    return tensor;
}

/// Returns the code of element (expert, n, k); the even column is in the lower half.
std::uint32_t code_of(const HostTensor& codes, std::size_t row, std::size_t k) {
    const std::uint8_t byte = codes.as<std::uint8_t>()[row * codes.shape[2] + k / 2];
    return k % 2 == 0 ? byte & 0xFU : byte >> 4U;
}

masked_mm::MaskedSpec spec_of(std::uint32_t k_block) {
    masked_mm::MaskedSpec spec;
    spec.strip = 2;
    spec.k_block = k_block;
    spec.k_chunk = 4;
    spec.cb_depth = 2;
    return spec;
}

struct Case {
    std::string name;
    std::uint32_t k;
    std::uint32_t group;
    std::uint32_t k_block;
    friend void PrintTo(const Case& data, std::ostream* out) { *out << data.name; }
};

/// Compares with Σ row · number(expert · N + n, k) + bias, with exact weights.
template <class Number>
void expect_products(const HostTensor& result, const HostTensor& rows, std::uint32_t k_count,
                     const HostTensor* bias, const Number& number) {
    for (std::size_t row = 0; row < kExperts * kRows; ++row) {
        for (std::size_t n = 0; n < kN; ++n) {
            const std::size_t place = row / kRows * kN + n;
            double sum = bias == nullptr ? 0 : bf16_value(bias->as<std::uint16_t>()[place]);
            double size = std::fabs(sum);
            for (std::size_t k = 0; k < k_count; ++k) {
                const double term =
                    bf16_value(rows.as<std::uint16_t>()[row * k_count + k]) * number(place, k);
                sum += term;
                size += std::fabs(term);
            }
            // bfloat16 rounds by 2^-9 of the sum; fp32 sums round by far less of their terms.
            ASSERT_NEAR(bf16_value(result.as<std::uint16_t>()[row * kN + n]), sum,
                        std::fabs(sum) / 256 + size / 65536)
                << row << " " << n;
        }
    }
}

class Int4Product : public ::testing::TestWithParam<Case> {};

TEST_P(Int4Product, SubtractsZeroPointsAndScalesEachGroup) {
    const Case& data = GetParam();
    const std::uint32_t groups = (data.k + data.group - 1) / data.group;
    const HostTensor rows = random_bf16_tensor({kExperts, kRows, data.k}, 1);
    const HostTensor codes = bytes({kExperts, kN, data.k / 2}, 1013904223, 5, 256);
    const HostTensor points = bytes({kExperts, kN, groups}, 12345, 7, 16);
    const HostTensor bias = random_bf16_tensor({kExperts, kN}, 4);
    HostTensor scales = make_host_tensor({kExperts, kN, groups}, DataFormat::Float16_b);
    for (std::size_t i = 0; i < num_elements(scales.shape); ++i) {
        scales.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(0x3C00 + i * 37 % 256);
    }

    const auto run = run_op(masked_mm::op(), spec_of(data.k_block),
                            {{rows},
                             {codes, Layout::TILE},
                             {host_tensor<std::int32_t>({2}, DataFormat::Int32, {kRows, kRows})},
                             {scales},
                             {},
                             {points},
                             {bias}},
                            testing::test_arch());

    expect_products(run.outputs[0], rows, data.k, &bias, [&](std::size_t place, std::size_t k) {
        const std::size_t at = place * groups + k / data.group;
        return (static_cast<double>(code_of(codes, place, k)) - points.as<std::uint8_t>()[at]) *
               bf16_value(scales.as<std::uint16_t>()[at]);
    });
}

INSTANTIATE_TEST_SUITE_P(Groups, Int4Product,
                         ::testing::Values(Case{"WholeGroups", 256, 128, 8},
                                           Case{"PartialGroup", 200, 128, 4},
                                           Case{"GroupsOf64", 200, 64, 8},
                                           Case{"GroupLongerThanAPush", 400, 256, 4},
                                           Case{"OneGroup", 72, 128, 8}),
                         [](const auto& test) { return test.param.name; });

class Mxfp4Product : public ::testing::TestWithParam<Case> {};

TEST_P(Mxfp4Product, MultipliesNumbersOfE2m1WithPowersOfTwo) {
    constexpr std::array kNumbers{0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
    const Case& data = GetParam();
    const std::uint32_t blocks = (data.k + 31) / 32;
    const HostTensor rows = random_bf16_tensor({kExperts, kRows, data.k}, 1);
    const HostTensor codes = bytes({kExperts, kN, data.k / 2}, 1013904223, 5, 256);
    HostTensor scales = bytes({kExperts, kN, blocks}, 12345, 7, 9);
    for (std::uint8_t& scale : scales.as<std::uint8_t>()) {
        scale = static_cast<std::uint8_t>(scale + 123);  // 2^-4 to 2^4
    }

    const auto run = run_op(masked_mm::op(), spec_of(data.k_block),
                            {{rows},
                             {codes, Layout::TILE},
                             {host_tensor<std::int32_t>({2}, DataFormat::Int32, {kRows, kRows})},
                             {scales}},
                            testing::test_arch());

    expect_products(run.outputs[0], rows, data.k, nullptr, [&](std::size_t place, std::size_t k) {
        const std::uint32_t code = code_of(codes, place, k);
        const int exponent = scales.as<std::uint8_t>()[place * blocks + k / 32] - 127;
        return std::ldexp((code & 8U) != 0 ? -kNumbers[code & 7U] : kNumbers[code & 7U], exponent);
    });
}

INSTANTIATE_TEST_SUITE_P(Blocks, Mxfp4Product,
                         ::testing::Values(Case{"WholeBlocks", 256, 32, 8},
                                           Case{"PartialBlock", 72, 32, 4},
                                           Case{"OddBlocks", 96, 32, 2}),
                         [](const auto& test) { return test.param.name; });

/// Returns the refusal of weights of (2, 37, 100) bytes, for rows of 200.
std::string refusal_of(Shape scales, DataFormat scale_format, std::uint32_t k_block) {
    const auto tensor = [](Shape shape, DataFormat format, Layout layout) {
        return DeviceTensor{{std::move(shape), format, layout}, {}};
    };
    const DeviceTensor rows = tensor({2, 3, 200}, DataFormat::Float16_b, Layout::ROW_MAJOR);
    const DeviceTensor weights = tensor({2, kN, 100}, DataFormat::UInt8, Layout::TILE);
    const DeviceTensor counts = tensor({2}, DataFormat::Int32, Layout::ROW_MAJOR);
    const DeviceTensor of_weights = tensor(std::move(scales), scale_format, Layout::ROW_MAJOR);
    const masked_mm::MaskedSpec spec = spec_of(k_block);
    const std::array<const DeviceTensor*, 4> inputs{&rows, &weights, &counts, &of_weights};
    return usage_error_message(
        [&] { check_call(masked_mm::op(), testing::test_arch(), &spec, inputs, {}); });
}

TEST(PackedProductErrors, ScalesOfAnotherShapeAreToldTheAllowedOnes) {
    EXPECT_EQ(refusal_of({2, kN, 7}, DataFormat::UInt8, 8), "(nothing thrown)");
    EXPECT_EQ(refusal_of({2, kN, 2}, DataFormat::UInt8, 8),
              "masked_mm: expert_scales is (2,37,2); allowed: (2,37,7)");
    EXPECT_EQ(refusal_of({2, kN, 3}, DataFormat::Float16_b, 8),
              "masked_mm: expert_scales is (2,37,3); allowed: one of (2,37,2), (2,37,4), (2,37,1), "
              "(2,37,7)");
}

TEST(PackedProductErrors, APushOfHalfAPairOfTilesIsNamed) {
    EXPECT_EQ(refusal_of({2, kN, 7}, DataFormat::UInt8, 3),
              "masked_mm: k_block is 3; allowed with codes of 4 bits: an even number");
    EXPECT_EQ(refusal_of({2, kN, 2}, DataFormat::Float16_b, 6),
              "masked_mm: k_block is 6; allowed with codes of 4 bits: an even number that is a "
              "multiple of 4, or divides it");
}

}  // namespace
}  // namespace tessera::ops
