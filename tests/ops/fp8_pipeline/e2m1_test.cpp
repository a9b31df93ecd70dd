// SPDX-License-Identifier: Apache-2.0
// Rows as e2m1 codes with scales of a byte, and back, against tables and formulas of OCP MX 1.0 and
// of NVFP4.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "ops/quantise/quantise.hpp"
#include "ops/widen_bytes/widen_bytes.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/op_call.hpp"
#include "tests/ops/routing_workload.hpp"

namespace tessera::ops {
namespace {

using testing::call_op;
using testing::OneDevice;

constexpr std::array kMagnitudes{0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};

double number_of(std::uint32_t code) {
    return kMagnitudes.at(code & 7U) * ((code & 8U) != 0 ? -1 : 1);
}

std::uint32_t code_at(const HostTensor& codes, std::size_t i) {
    return codes.as<std::uint8_t>()[i / 2] >> (i % 2 * 4) & 0xFU;
}

float bf16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16U);
}

std::uint16_t bits_of(float value) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}

/// The number of an e4m3 code without a sign: (8 + m) · 2^(e − 10), or m · 2^-9.
double e4m3(std::uint32_t code) {
    const auto mantissa = static_cast<double>(code & 7U);
    const auto exponent = static_cast<int>(code >> 3U);
    return exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
}

HostTensor bf16_rows(Shape shape, const std::vector<float>& values) {
    HostTensor rows = make_host_tensor(std::move(shape), DataFormat::Float16_b);
    std::ranges::transform(values, rows.as<std::uint16_t>().begin(), bits_of);
    return rows;
}

const QuantiseSpec kMxfp4{.block = ScaleBlock::Row32, .codes = Codes::E2m1, .grid = {}};
const QuantiseSpec kNvfp4{.block = ScaleBlock::Row16, .codes = Codes::E2m1, .grid = {}};
const widen_bytes::WidenBytesSpec kWiden{.grid = {}, .cb_depth = 2};

// One number of each kind: exact ones, ties, both signs, and beyond 6. The largest magnitude, 7.5,
// has exponent 2, so that the scale is 1.
TEST(E2m1, TakesTheNearestCodeAndTheEvenOneOfTies) {
    std::vector<float> values{
        0,     0.5F,  1,     1.5F,  2,      3,     4,       6,     // codes 0 to 7
        0.25F, 0.75F, 1.25F, 1.75F, 2.5F,   3.5F,  5,       7.5F,  // ties
        -0.0F, -0.5F, -1,    -6,    -0.25F, -2.5F, -5,      -7.5F,
        0.26F, 0.74F, 1.26F, 1.74F, 2.52F,  3.48F, 5.0625F, 4.9375F};
    OneDevice device(testing::test_arch());

    const auto outputs = call_op(device, quantise::op(), &kMxfp4, {{bf16_rows({1, 32}, values)}});

    const std::vector<std::uint32_t> wanted{0, 1, 2,  3,  4, 5,  6,  7,  0, 2, 2, 4, 4, 6, 6, 7,
                                            0, 9, 10, 15, 8, 12, 14, 15, 1, 1, 3, 3, 5, 5, 7, 6};
    EXPECT_EQ(outputs[1].as<std::uint8_t>()[0], 127);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(code_at(outputs[0], i), wanted[i]) << values[i];
    }
}

struct Extent {
    std::uint32_t rows;
    std::uint32_t columns;
};

class E2m1Rows : public ::testing::TestWithParam<Extent> {};

// Codes have the low half for the even column. Each block's scale follows from its largest
// magnitude, and each code is the nearest.
TEST_P(E2m1Rows, HaveTheExponentOfEachBlockOf32Columns) {
    const auto [rows, columns] = GetParam();
    OneDevice device(testing::test_arch());
    HostTensor input = testing::random_bf16_tensor({rows, columns}, 5);
    input.as<std::uint16_t>()[3] = bits_of(1024.0F);  // another block than the next one

    const auto outputs = call_op(device, quantise::op(), &kMxfp4, {{input}});

    ASSERT_EQ(outputs[0].shape, (Shape{rows, columns / 2}));
    ASSERT_EQ(outputs[1].shape, (Shape{rows, columns / 32}));
    const auto values = input.as<std::uint16_t>();
    for (std::size_t block = 0; block < values.size() / 32; ++block) {
        double largest = 0;
        for (std::size_t i = block * 32; i < block * 32 + 32; ++i) {
            largest = std::max(largest, std::fabs(static_cast<double>(bf16(values[i]))));
        }
        const int exponent = static_cast<int>(std::floor(std::log2(largest))) - 2;
        ASSERT_EQ(outputs[1].as<std::uint8_t>()[block], exponent + 127) << block;
        for (std::size_t i = block * 32; i < block * 32 + 32; ++i) {
            const double quotient = std::ldexp(static_cast<double>(bf16(values[i])), -exponent);
            const double error = std::fabs(number_of(code_at(outputs[0], i)) - quotient);
            const double step = std::fabs(quotient) < 2 ? 0.5 : std::fabs(quotient) < 4 ? 1 : 2;
            ASSERT_LE(error, std::fabs(quotient) > 6 ? std::fabs(quotient) - 6 : step / 2) << i;
        }
    }
    const auto back = call_op(device, widen_bytes::op(), &kWiden, {{outputs[0]}, {}, {outputs[1]}});
    ASSERT_EQ(back[0].shape, input.shape);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int exponent = outputs[1].as<std::uint8_t>()[i / 32] - 127;
        ASSERT_EQ(static_cast<double>(bf16(back[0].as<std::uint16_t>()[i])),
                  std::ldexp(number_of(code_at(outputs[0], i)), exponent))
            << i;
    }
}

TEST_P(E2m1Rows, HaveAnE4m3ScaleOfEachBlockOf16ColumnsUnderThatOfTheTensor) {
    const auto [rows, columns] = GetParam();
    OneDevice device(testing::test_arch());
    HostTensor input = testing::random_bf16_tensor({rows, columns}, 6);
    std::ranges::fill(input.as<std::uint16_t>().subspan(16, 16), std::uint16_t{0});
    const float of_tensor = 0.02F;
    const HostTensor scale = testing::host_tensor<float>({1}, DataFormat::Float32, {of_tensor});

    const auto outputs = call_op(device, quantise::op(), &kNvfp4, {{input}, {}, {scale}});

    ASSERT_EQ(outputs[1].shape, (Shape{rows, columns / 16}));
    ASSERT_EQ(outputs[1].format, DataFormat::Fp8_e4m3);
    const auto values = input.as<std::uint16_t>();
    const auto scales = outputs[1].as<std::uint8_t>();
    EXPECT_EQ(scales[1], 1);  // a block of zeros has the least scale
    EXPECT_EQ(code_at(outputs[0], 20), 0U);
    for (std::size_t block = 2; block < values.size() / 16; ++block) {
        double largest = 0;
        for (std::size_t i = block * 16; i < block * 16 + 16; ++i) {
            largest = std::max(largest, std::fabs(static_cast<double>(bf16(values[i]))));
        }
        const double wanted = largest / 6 / static_cast<double>(of_tensor);
        ASSERT_LE(std::fabs(e4m3(scales[block]) - wanted),
                  std::max(wanted / 16, std::ldexp(1.0, -10)) * 1.000001)
            << block;
        const double divisor = e4m3(scales[block]) * static_cast<double>(of_tensor);
        for (std::size_t i = block * 16; i < block * 16 + 16; ++i) {
            const double quotient = std::fabs(static_cast<double>(bf16(values[i])) / divisor);
            const double error = std::fabs(std::fabs(number_of(code_at(outputs[0], i))) - quotient);
            const double step = quotient < 2 ? 0.5 : quotient < 4 ? 1 : 2;
            ASSERT_LE(error, quotient > 6 ? quotient - 6 : step / 2 * 1.000001) << i;
        }
    }
    const auto back = call_op(device, widen_bytes::op(), &kWiden, {{outputs[0]}, {}, {outputs[1]}});
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(static_cast<double>(bf16(back[0].as<std::uint16_t>()[i])),
                  number_of(code_at(outputs[0], i)) * e4m3(scales[i / 16]))
            << i;
    }
}

// Part of a piece, whole ones, several with a part of the last; columns that 64 does not divide.
INSTANTIATE_TEST_SUITE_P(Extents, E2m1Rows,
                         ::testing::Values(Extent{1, 32}, Extent{3, 1024}, Extent{70, 96},
                                           Extent{2, 2880}, Extent{5, 4096}),
                         [](const auto& extent) {
                             return std::to_string(extent.param.rows) + "x" +
                                    std::to_string(extent.param.columns);
                         });

TEST(E2m1, LeavesRowsThatDoNotCountAlone) {
    OneDevice device(testing::test_arch());
    const HostTensor input = testing::random_bf16_tensor({2, 4, 64}, 7);
    const HostTensor counts = testing::host_tensor<std::int32_t>({2}, DataFormat::Int32, {1, 3});

    const auto some = call_op(device, quantise::op(), &kMxfp4, {{input}, {counts}});
    const auto all = call_op(device, quantise::op(), &kMxfp4, {{input}});

    for (const std::size_t row : {0, 4, 5, 6}) {
        for (std::size_t i = row * 32; i < row * 32 + 32; ++i) {
            ASSERT_EQ(some[0].as<std::uint8_t>()[i], all[0].as<std::uint8_t>()[i]) << row;
        }
    }
    EXPECT_NE(some[0].as<std::uint8_t>()[32], all[0].as<std::uint8_t>()[32]);
    const auto back = call_op(device, widen_bytes::op(), &kWiden, {{all[0]}, {counts}, {all[1]}});
    EXPECT_TRUE(std::isnan(bf16(back[0].as<std::uint16_t>()[64])));  // as memory was
    const auto whole = call_op(device, widen_bytes::op(), &kWiden, {{all[0]}, {}, {all[1]}});
    for (std::size_t i = 4 * 64; i < 7 * 64; ++i) {
        ASSERT_EQ(back[0].as<std::uint16_t>()[i], whole[0].as<std::uint16_t>()[i]) << i;
    }
}

TEST(E2m1Errors, OperandsThatBlocksCannotHaveAreNamed) {
    const auto refusal = [](const QuantiseSpec& spec, std::uint32_t columns) {
        const DeviceTensor input{{{2, columns}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
        const std::array<const DeviceTensor*, 1> inputs{&input};
        return usage_error_message(
            [&] { check_call(quantise::op(), testing::test_arch(), &spec, inputs, {}); });
    };
    EXPECT_EQ(refusal(kMxfp4, 48),
              "quantise: input has rows of 48 elements; allowed with block 1x32: multiples of 32");
    EXPECT_EQ(refusal(kNvfp4, 48), "quantise: static_scale is missing; required with block 1x16");
    EXPECT_EQ(refusal({.block = ScaleBlock::Row, .codes = Codes::E2m1, .grid = {}}, 64),
              "quantise: block is row; allowed for rows with codes e2m1: 1x16, 1x32");
    EXPECT_EQ(refusal({.block = ScaleBlock::Row32, .grid = {}}, 64),
              "quantise: block is 1x32; allowed for rows with codes fp8_e4m3: 1x128, row, "
              "128x128, tensor, static");
}

}  // namespace
}  // namespace tessera::ops
