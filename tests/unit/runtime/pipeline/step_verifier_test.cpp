// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/step_verifier.hpp"

#include <gtest/gtest.h>

#include "emu/base/bf16.hpp"

namespace tessera::run {
namespace {

constexpr VerifySpec kVerify{.min_pcc = 0.99, .max_relative_error = 0.05};

HostTensor bf16_tensor(const std::vector<float>& values) {
    HostTensor tensor =
        make_host_tensor({1, static_cast<std::uint32_t>(values.size())}, DataFormat::Float16_b);
    for (std::size_t i = 0; i < values.size(); ++i) {
        tensor.as<std::uint16_t>()[i] = float_to_bf16(values[i]);
    }
    return tensor;
}

const HostTensor kReference = [] {
    HostTensor tensor = make_host_tensor({1, 4}, DataFormat::Float32);
    std::ranges::copy(std::vector<float>{1, -2, 3, 4}, tensor.as<float>().begin());
    return tensor;
}();

TEST(CompareFinal, PassesWithinTheBounds) {
    const std::vector<HostTensor> finals(2, bf16_tensor({1, -2, 3, 4.125}));

    const report::StepCheck check = compare_final(finals, kReference, kVerify);

    EXPECT_EQ(check.failure, "");
    EXPECT_EQ(check.num_elements, 4U);
    EXPECT_DOUBLE_EQ(check.max_relative_error, 0.125 / 4);
}

TEST(CompareFinal, NamesTheFirstElementThatIsTooFarOff) {
    const std::vector<HostTensor> finals(2, bf16_tensor({1, -2, 3, 4.5}));

    EXPECT_EQ(compare_final(finals, kReference, kVerify).failure,
              "final: relative error 0.125, allowed: 0.05 or less: final(0,3) is 4.5, the "
              "reference 4");
}

TEST(CompareFinal, NamesALowCorrelation) {
    const std::vector<HostTensor> finals(1, bf16_tensor({4, 3, -2, 1}));

    EXPECT_TRUE(compare_final(finals, kReference, kVerify).failure.starts_with("final: PCC -0."));
}

TEST(CompareFinal, NamesADeviceThatHoldsSomethingElse) {
    std::vector<HostTensor> finals(3, bf16_tensor({1, -2, 3, 4}));
    finals[2] = bf16_tensor({1, -2, 3, 4.0625});

    EXPECT_EQ(compare_final(finals, kReference, kVerify).failure,
              "final of device 2 is not that of device 0");
}

}  // namespace
}  // namespace tessera::run
