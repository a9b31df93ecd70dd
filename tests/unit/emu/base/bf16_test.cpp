// SPDX-License-Identifier: Apache-2.0
#include "emu/base/bf16.hpp"

#include <gtest/gtest.h>

#include "emu/base/tensor_file/safetensors.hpp"

namespace tessera {
namespace {

TEST(FloatToBf16, RoundsToNearestEvenAsTheGoldenTable) {
    const SafetensorsFile file(std::string(TESSERA_SOURCE_DIR) +
                               "/tests/golden/bf16_convert.safetensors");
    const HostTensor floats = file.read("f32_bits");
    const HostTensor due = file.read("bf16_rne");
    const auto patterns = floats.as<std::uint32_t>();
    ASSERT_EQ(patterns.size(), 3057U);

    for (std::size_t i = 0; i < patterns.size(); ++i) {
        const auto value = std::bit_cast<float>(patterns[i]);
        EXPECT_EQ(float_to_bf16(value), due.as<std::uint16_t>()[i]) << std::hex << patterns[i];
    }
}

TEST(Bf16ToFloat, KeepsEveryPatternButNans) {
    for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
        const float value = bf16_to_float(static_cast<std::uint16_t>(bits));
        if (!std::isnan(value)) {
            ASSERT_EQ(float_to_bf16(value), bits);
        }
    }
}

}  // namespace
}  // namespace tessera
