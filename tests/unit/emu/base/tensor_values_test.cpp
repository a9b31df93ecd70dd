// SPDX-License-Identifier: Apache-2.0
#include "tessera/tensor_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

TEST(TensorValues, AreRoundedToTheNearestBfloat16TiesToEven) {
    // bfloat16 has seven fraction bits: 1 + 2^-8 is halfway between 0x3F80 and 0x3F81, 1 + 3 · 2^-8
    // halfway between 0x3F81 and 0x3F82.
    const std::vector<float> values{1.0F + 0x1p-8F, 1.0F + 0x3p-8F, -2.0F};

    const HostTensor tensor = make_host_tensor({3}, DataFormat::Float16_b, values);

    EXPECT_THAT(tensor.as<std::uint16_t>(), ElementsAre(0x3F80, 0x3F82, 0xC000));
}

TEST(TensorValues, StayWhatTheyAreInFloat32) {
    const std::vector<float> values{0.1F, -3.5F};

    EXPECT_THAT(make_host_tensor({2, 1}, DataFormat::Float32, values).as<float>(),
                ElementsAre(0.1F, -3.5F));
}

TEST(TensorValues, AreAsManyAsTheShapeHas) {
    const std::vector<float> values(5);

    EXPECT_THAT(
        [&] {
            (void)make_host_tensor({2, 3}, DataFormat::Float32, values);
        },
        ThrowsMessage<UsageError>("make_host_tensor: 5 values for shape (2,3) of 6"));
}

TEST(TensorValues, AreNotMadeOfFloatsInAnIntegerFormat) {
    const std::vector<float> values(1);

    EXPECT_THAT([&] { (void)make_host_tensor({1}, DataFormat::UInt32, values); },
                ThrowsMessage<UsageError>("make_host_tensor: values of format uint32, allowed: "
                                          "bfloat16 or float32"));
}

}  // namespace
}  // namespace tessera
