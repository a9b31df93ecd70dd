// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/output_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::run {
namespace {

constexpr ops::OpSpec kExactOp{.name = "mover", .tolerance = ops::kExact};
constexpr ops::OpSpec kCloseOp{.name = "adder", .tolerance = {.max_relative_error = 0.01}};
constexpr VerifySpec kVerify{.min_pcc = 0.99, .max_relative_error = 0.05};

HostTensor floats(const std::vector<float>& values) {
    HostTensor tensor =
        make_host_tensor({2, static_cast<std::uint32_t>(values.size()) / 2}, DataFormat::Float32);
    std::ranges::copy(values, tensor.as<float>().begin());
    return tensor;
}

std::vector<CheckedOutput> two_devices(const std::vector<float>& second) {
    return {{floats({1, 2, 3, 4}), floats({1, 2, 3, 4})}, {floats(second), floats({5, 6, 7, 8})}};
}

TEST(CheckOutputs, CountsElementsOfAllDevices) {
    const auto outputs = two_devices({5, 6, 7, 8});

    EXPECT_EQ(check_outputs(outputs, kExactOp, kVerify).num_elements, 8U);
    EXPECT_EQ(check_outputs(outputs, kCloseOp, kVerify).num_elements, 8U);
    EXPECT_TRUE(check_outputs(outputs, kExactOp, kVerify).passed());
}

TEST(CheckOutputs, WantsTheSameBytesOfOpsThatMoveData) {
    const auto check = check_outputs(two_devices({5, 6, 7.001F, 8}), kExactOp, kVerify);

    EXPECT_EQ(check.failure, "output of device 1 at (1,0) is not what the reference has");
    EXPECT_EQ(check.pcc, 0);
}

// Off by 0.35 of 7: the rms of 1 to 8 is 5.05.
TEST(CheckOutputs, TakesOthersWithinTheBounds) {
    EXPECT_TRUE(check_outputs(two_devices({5, 6, 7.34F, 8}), kCloseOp, kVerify).passed());

    EXPECT_EQ(check_outputs(two_devices({5, 6, 7.7F, 8}), kCloseOp, kVerify).failure,
              "largest relative error 0.1, allowed 0.05; first beyond: output of device 1 at "
              "(1,0): 7.699999809265137 against 7");
}

TEST(CheckOutputs, NamesACorrelationThatIsTooLow) {
    const VerifySpec loose{.min_pcc = 0.9999, .max_relative_error = 10};

    const auto check = check_outputs(two_devices({8, 6, 7, 5}), kCloseOp, loose);

    EXPECT_EQ(check.failure, "PCC 0.785714 is below 0.999900");
}

}  // namespace
}  // namespace tessera::run
