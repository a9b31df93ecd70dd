// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/random_values.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

namespace tessera::run {
namespace {

TensorSpec tiles(DataFormat format) {
    return {{64, 64}, format, Layout::TILE};
}

TEST(RandomValues, HaveTheFormatThatASessionTakes) {
    EXPECT_EQ(random_values(tiles(DataFormat::Float16_b), {1, 0, "a"}).format,
              DataFormat::Float16_b);
    EXPECT_EQ(random_values(tiles(DataFormat::Bfp8_b), {1, 0, "a"}).format, DataFormat::Float32);
    EXPECT_EQ(random_values(tiles(DataFormat::UInt8), {1, 0, "a"}).format, DataFormat::UInt8);
}

TEST(RandomValues, DifferBySeedDeviceAndName) {
    std::set<std::vector<std::byte>> drawn;
    for (const Draw& draw : {Draw{1, 0, "a"}, Draw{2, 0, "a"}, Draw{1, 1, "a"}, Draw{1, 0, "b"}}) {
        drawn.insert(random_values(tiles(DataFormat::Float32), draw).bytes);
    }

    EXPECT_EQ(drawn.size(), 4U);
    EXPECT_TRUE(drawn.contains(random_values(tiles(DataFormat::Float32), {1, 0, "a"}).bytes));
}

// Of 4096 draws the mean is within 4/64 deviations, the mean square within 10 %.
TEST(RandomValues, HaveTheDeviationAskedFor) {
    const HostTensor tensor = random_values(tiles(DataFormat::Float32), {3, 0, "a"}, 0.25F);
    double sum = 0;
    double squares = 0;
    for (const float value : tensor.as<float>()) {
        sum += static_cast<double>(value);
        squares += static_cast<double>(value) * static_cast<double>(value);
    }

    EXPECT_NEAR(sum / 4096, 0, 0.25 * 4 / 64);
    EXPECT_NEAR(std::sqrt(squares / 4096), 0.25, 0.025);
}

TEST(RandomValues, UseBitsThatBfloat16DoesNotHave) {
    const HostTensor tensor = random_values(tiles(DataFormat::Float32), {3, 0, "a"});
    std::size_t with_low_bits = 0;
    for (const float value : tensor.as<float>()) {
        with_low_bits += (std::bit_cast<std::uint32_t>(value) & 0xFFFFU) != 0 ? 1 : 0;
    }

    EXPECT_GT(with_low_bits, 4000U);
}

TEST(RandomValues, FillAnOddNumberOfBytes) {
    const HostTensor tensor =
        random_values({{1, 13}, DataFormat::UInt8, Layout::ROW_MAJOR}, {3, 0, "a"});

    ASSERT_EQ(tensor.bytes.size(), 13U);
    const std::set<std::byte> values(tensor.bytes.begin(), tensor.bytes.end());
    EXPECT_GT(values.size(), 8U);
}

}  // namespace
}  // namespace tessera::run
