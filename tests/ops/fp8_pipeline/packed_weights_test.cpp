// SPDX-License-Identifier: Apache-2.0
// Products with codes of 4 bits with zero points, for every group of columns that shares a scale,
// against plain loops.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "ops/masked_mm/masked_mm.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/op_call.hpp"
#include "tests/ops/routing_workload.hpp"

namespace tessera::ops {
namespace {

float bf16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16U);
}

struct Groups {
    std::uint32_t columns;
    std::uint32_t group;
    bool has_zero_points;
};

class PackedGroups : public ::testing::TestWithParam<Groups> {};

constexpr std::uint32_t kExperts = 2;
constexpr std::uint32_t kRows = 40;     // of an expert
constexpr std::uint32_t kOutputs = 70;  // columns of the output

HostTensor bytes_of(Shape shape, std::uint32_t factor, std::uint32_t modulus) {
    HostTensor tensor = make_host_tensor(std::move(shape), DataFormat::UInt8);
    std::uint32_t state = 1;
    for (std::uint8_t& byte : tensor.as<std::uint8_t>()) {
        state = state * 1664525U + factor;
        byte = static_cast<std::uint8_t>((state >> 24U) % modulus);
    }
    return tensor;
}

TEST_P(PackedGroups, MultiplyWithCodesLessTheirZeroPointsTimesTheirScales) {
    const auto [columns, group, has_zero_points] = GetParam();
    const std::uint32_t blocks = (columns + group - 1) / group;
    testing::OneDevice device(testing::test_arch());
    const HostTensor rows = testing::random_bf16_tensor({kExperts * kRows, columns}, 1);
    const HostTensor codes = bytes_of({kExperts, kOutputs, columns / 2}, 1013904223U, 256);
    const HostTensor scales = testing::random_bf16_tensor({kExperts, kOutputs, blocks}, 2);
    const HostTensor points = bytes_of({kExperts, kOutputs, blocks}, 12345U, 16);
    masked_mm::MaskedSpec spec{};
    spec.strip = kDefaultStrip;
    spec.k_block = kDefaultKBlock;
    spec.k_chunk = 8;
    spec.cb_depth = kDefaultDepth;

    const auto outputs = testing::call_op(device, masked_mm::op(), &spec,
                                          {{rows},
                                           {codes, Layout::TILE},
                                           {},
                                           {scales},
                                           {},
                                           {has_zero_points ? points : HostTensor{}}});

    const auto at = [&](std::size_t row, std::size_t n) {
        const std::size_t line = row / kRows * kOutputs + n;
        double sum = 0;
        double size = 0;
        for (std::size_t k = 0; k < columns; ++k) {
            const std::size_t i = line * columns + k;
            const std::size_t block = line * blocks + k / group;
            const int code = codes.as<std::uint8_t>()[i / 2] >> (i % 2 * 4) & 0xF;
            const int point = has_zero_points ? points.as<std::uint8_t>()[block] : 8;
            const double weight =
                static_cast<float>(code - point) * bf16(scales.as<std::uint16_t>()[block]);
            const double part = bf16(rows.as<std::uint16_t>()[row * columns + k]) * weight;
            sum += part;
            size += std::fabs(part);
        }
        return std::pair{sum, size};
    };
    for (std::size_t row = 0; row < std::size_t{kExperts} * kRows; ++row) {
        for (std::size_t n = 0; n < kOutputs; ++n) {
            const auto [wanted, size] = at(row, n);
            const double found = bf16(outputs[0].as<std::uint16_t>()[row * kOutputs + n]);
            // One rounding to bfloat16, and sums in fp32 of products whose size is `size`.
            ASSERT_LE(std::fabs(found - wanted), std::fabs(wanted) / 256 + size * 0x1p-18)
                << row << ", " << n;
        }
    }
}

// Columns of whole pairs of tiles, of a part of a pair, and more than one push of weights.
INSTANTIATE_TEST_SUITE_P(Columns, PackedGroups,
                         ::testing::Values(Groups{64, 32, true}, Groups{96, 32, true},
                                           Groups{160, 32, false}, Groups{640, 32, true},
                                           Groups{32, 32, true}, Groups{640, 64, true},
                                           Groups{640, 128, true}, Groups{640, 640, true}),
                         [](const auto& test) {
                             return std::to_string(test.param.columns) + "_by_" +
                                    std::to_string(test.param.group) +
                                    (test.param.has_zero_points ? "_with_points" : "");
                         });

}  // namespace
}  // namespace tessera::ops
