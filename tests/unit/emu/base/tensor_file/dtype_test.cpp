// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/dtype.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Dtype, IsFoundByTheNameItPrints) {
    for (int i = 0; i <= static_cast<int>(Dtype::C64); ++i) {
        const auto dtype = static_cast<Dtype>(i);
        EXPECT_EQ(dtype_named(name_of(dtype)), dtype) << name_of(dtype);
    }
    EXPECT_EQ(dtype_named("bf16"), std::nullopt);
    EXPECT_EQ(dtype_named(""), std::nullopt);
}

TEST(Dtype, HasTheBitsOfItsName) {
    EXPECT_EQ(element_bits(Dtype::BOOL), 8U);
    EXPECT_EQ(element_bits(Dtype::F8_E4M3), 8U);
    EXPECT_EQ(element_bits(Dtype::BF16), 16U);
    EXPECT_EQ(element_bits(Dtype::U32), 32U);
    EXPECT_EQ(element_bits(Dtype::I64), 64U);
    EXPECT_EQ(element_bits(Dtype::F4), 4U);
    EXPECT_EQ(element_bits(Dtype::F6_E3M2), 6U);
    EXPECT_EQ(element_bits(Dtype::F8_E8M0), 8U);
    EXPECT_EQ(element_bits(Dtype::C64), 64U);
}

TEST(Dtype, HasADeviceFormatOfTheSameSizeOrNone) {
    EXPECT_EQ(format_of(Dtype::BF16), DataFormat::Float16_b);
    EXPECT_EQ(format_of(Dtype::F8_E5M2), DataFormat::Lf8);
    EXPECT_EQ(format_of(Dtype::I32), DataFormat::Int32);
    EXPECT_EQ(format_of(Dtype::F16), std::nullopt);
    EXPECT_EQ(format_of(Dtype::I64), std::nullopt);
    for (int i = 0; i <= static_cast<int>(Dtype::C64); ++i) {
        const auto dtype = static_cast<Dtype>(i);
        if (const auto format = format_of(dtype)) {
            EXPECT_EQ(8 * element_bytes(*format), element_bits(dtype)) << name_of(dtype);
            EXPECT_EQ(dtype_of(*format), dtype) << name_of(dtype);
        }
    }
}

}  // namespace
}  // namespace tessera
