// SPDX-License-Identifier: Apache-2.0
#include "tessera/tensor.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera {
namespace {

struct SpecCase {
    std::string name;
    TensorSpec spec;
    Shape padded;
    std::uint32_t page_size;
    std::uint32_t num_pages;
};

class TensorSpecs : public testing::TestWithParam<SpecCase> {};

TEST_P(TensorSpecs, HavePaddedShapeAndPages) {
    const SpecCase& c = GetParam();

    EXPECT_EQ(c.spec.padded_shape(), c.padded);
    EXPECT_EQ(c.spec.page_size(), c.page_size);
    EXPECT_EQ(c.spec.num_pages(), c.num_pages);
    EXPECT_EQ(c.spec.num_bytes(), std::uint64_t{c.page_size} * c.num_pages);
}

constexpr auto kTile = Layout::TILE;
constexpr auto kRows = Layout::ROW_MAJOR;
constexpr auto kBf16 = DataFormat::Float16_b;

INSTANTIATE_TEST_SUITE_P(
    Table, TensorSpecs,
    testing::Values(SpecCase{"OneTile", {{32, 32}, kBf16, kTile}, {32, 32}, 2048, 1},
                    SpecCase{"OneElement", {{1, 1}, kBf16, kTile}, {32, 32}, 2048, 1},
                    SpecCase{"BelowATile", {{31, 31}, kBf16, kTile}, {32, 32}, 2048, 1},
                    SpecCase{"AboveATile", {{33, 33}, kBf16, kTile}, {64, 64}, 2048, 4},
                    SpecCase{
                        "BatchPadsEachApart", {{3, 33, 48}, kBf16, kTile}, {3, 64, 64}, 2048, 12},
                    SpecCase{"Vector", {{40}, kBf16, kTile}, {32, 64}, 2048, 2},
                    SpecCase{"Float32", {{64, 32}, DataFormat::Float32, kTile}, {64, 32}, 4096, 2},
                    SpecCase{"Bfp8", {{32, 64}, DataFormat::Bfp8_b, kTile}, {32, 64}, 1088, 2},
                    SpecCase{"Rows", {{3, 33, 48}, kBf16, kRows}, {3, 33, 48}, 96, 99},
                    SpecCase{"OneRow", {{7}, DataFormat::UInt32, kRows}, {7}, 28, 1},
                    SpecCase{"NoRows", {{0, 8}, kBf16, kRows}, {0, 8}, 16, 0},
                    SpecCase{"NoColumns", {{8, 0}, kBf16, kRows}, {8, 0}, 0, 0},
                    SpecCase{"NoTiles", {{0, 8}, kBf16, kTile}, {0, 32}, 2048, 0}),
    [](const auto& test) { return test.param.name; });

TEST(TensorShape, CountsElements) {
    EXPECT_EQ(num_elements({3, 33, 48}), 3U * 33 * 48);
    EXPECT_EQ(num_elements({}), 1U);
    EXPECT_EQ(num_elements({1U << 31, 1U << 31}), std::uint64_t{1} << 62);
}

TEST(TensorShape, IsPrintedInParentheses) {
    EXPECT_EQ(to_string(Shape{3, 33, 48}), "(3,33,48)");
    EXPECT_EQ(to_string(Shape{}), "()");
}

TEST(HostTensor, StartsAsZeros) {
    HostTensor tensor = make_host_tensor({2, 3}, DataFormat::Float32);

    ASSERT_EQ(tensor.as<float>().size(), 6U);
    for (const float value : tensor.as<float>()) {
        EXPECT_EQ(value, 0.0F);
    }
}

}  // namespace
}  // namespace tessera
