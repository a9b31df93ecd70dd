// SPDX-License-Identifier: Apache-2.0
// The references' own e4m3 conversion against the golden file of conversions.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "tests/golden/golden_file.hpp"

namespace tessera::ops::fp8 {
namespace {

TEST(Fp8Codes, OfNumbersAreThoseOfTheFile) {
    const golden::GoldenFile file("e4m3_convert");
    const auto numbers = file.tensor("x").as<float>();
    const auto codes = file.tensor("code_sat").as<std::uint8_t>();

    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::uint8_t code = code_of(numbers[i]);
        EXPECT_TRUE(std::isnan(numbers[i]) ? (code & 0x7F) == 0x7F : code == codes[i])
            << numbers[i] << " gives " << int{code} << ", not " << int{codes[i]};
    }
}

TEST(Fp8Codes, StandForTheNumbersOfTheFile) {
    const auto values = golden::GoldenFile("e4m3_convert").tensor("decode_values").as<float>();

    for (std::size_t code = 0; code < values.size(); ++code) {
        const float value = value_of(static_cast<std::uint8_t>(code));
        EXPECT_TRUE(value == values[code] || (std::isnan(value) && std::isnan(values[code])))
            << code;
    }
}

}  // namespace
}  // namespace tessera::ops::fp8
