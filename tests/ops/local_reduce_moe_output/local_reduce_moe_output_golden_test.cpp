// SPDX-License-Identifier: Apache-2.0
// Comparison with the golden V2 files: every device, every accumulator.
#include <gmock/gmock.h>

#include <algorithm>

#include "emu/base/bf16.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/golden_tensor.hpp"
#include "tests/ops/local_reduce_moe_output/reduce_run.hpp"

namespace tessera::ops::local_reduce_moe_output {
namespace {

using testing::OneDevice;

/// Returns the largest number of bfloat16 steps between two tensors; +0 and −0 are equal.
std::uint32_t most_steps_apart(const HostTensor& a, const HostTensor& b) {
    const auto place = [](std::uint16_t bits) {
        const std::int32_t size = bits & 0x7FFF;
        return (bits & 0x8000) != 0 ? -size : size;
    };
    std::int32_t most = 0;
    for (std::size_t i = 0; i < a.as<std::uint16_t>().size(); ++i) {
        most = std::max(
            most, std::abs(place(a.as<std::uint16_t>()[i]) - place(b.as<std::uint16_t>()[i])));
    }
    return static_cast<std::uint32_t>(most);
}

std::vector<float> widened(const HostTensor& tensor) {
    return golden::GoldenTensor{"", "BF16", tensor.shape, tensor.bytes}.floats();
}

class LocalReduceGolden : public ::testing::TestWithParam<testing::GoldenDevice> {
protected:
    HostInputs host_inputs() const {
        return {tensor("staged.down"), tensor("token_idx_map"), tensor("routed_token_weights"),
                tensor("num_routed_tokens")};
    }
    HostTensor tensor(const std::string& name) const {
        return testing::golden_tensor(file_, GetParam().prefix() + name);
    }
    HostTensor run_with(ReduceAccumulator accumulator) const {
        OneDevice device(testing::test_arch());
        return run(device, host_inputs(), {.accumulator = accumulator, .grid = {}, .cb_depth = 2});
    }
    golden::GoldenFile file_{GetParam().file};
};

TEST_P(LocalReduceGolden, Fp32EqualsTheSumRoundedOnce) {
    const HostTensor local = run_with(ReduceAccumulator::Fp32);

    EXPECT_EQ(most_steps_apart(local, tensor("staged.local")), 0U);
}

TEST_P(LocalReduceGolden, Bf16RneEqualsTheSumRoundedAfterEveryExpert) {
    EXPECT_EQ(run_with(ReduceAccumulator::Bf16Rne).bytes,
              tensor("staged.local_stepwise_rne").bytes);
}

TEST_P(LocalReduceGolden, Bf16TruncateEqualsTheSumTruncatedAfterEveryExpert) {
    EXPECT_EQ(run_with(ReduceAccumulator::Bf16Truncate).bytes,
              tensor("staged.local_stepwise_trunc").bytes);
}

TEST_P(LocalReduceGolden, ReferenceOfFp32RoundsToTheGoldenSum) {
    const HostInputs host = host_inputs();
    const HostTensor sums = reference(host, ReduceAccumulator::Fp32);
    HostTensor rounded = make_host_tensor(sums.shape, DataFormat::Float16_b);
    std::ranges::transform(sums.as<float>(), rounded.as<std::uint16_t>().begin(), float_to_bf16);

    EXPECT_EQ(most_steps_apart(rounded, tensor("staged.local")), 0U);
}

TEST_P(LocalReduceGolden, ReferenceOfTheStepwiseSumsEqualsTheGoldenOnes) {
    const HostInputs host = host_inputs();
    const auto sums = [&](ReduceAccumulator accumulator) {
        return testing::values_of<float>(reference(host, accumulator));
    };

    EXPECT_EQ(sums(ReduceAccumulator::Bf16Rne), widened(tensor("staged.local_stepwise_rne")));
    EXPECT_EQ(sums(ReduceAccumulator::Bf16Truncate),
              widened(tensor("staged.local_stepwise_trunc")));
}

INSTANTIATE_TEST_SUITE_P(AllDevices, LocalReduceGolden,
                         ::testing::ValuesIn(testing::golden_devices()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace tessera::ops::local_reduce_moe_output
