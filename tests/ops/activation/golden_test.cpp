// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/arch_fixture.hpp"
#include "tests/ops/activation/activation_ops.hpp"
#include "tests/ops/staged_golden.hpp"

namespace tessera::ops {
namespace {

using testing::golden_tensor;

class ActivationGolden : public ::testing::TestWithParam<testing::GoldenDevice> {
protected:
    [[nodiscard]] std::string prefix() const { return GetParam().prefix(); }
    [[nodiscard]] ActivationInputs inputs(const char* gate) const {
        return {golden_tensor(file_, prefix() + gate), golden_tensor(file_, prefix() + "staged.up"),
                testing::golden_counts(file_, prefix())};
    }

    golden::GoldenFile file_{GetParam().file};
    testing::OneDevice device_{testing::test_arch()};
    ActivationSpec schedule_{.grid = {}, .cb_depth = 2};
};

TEST_P(ActivationGolden, SiluOfTheStagedGate) {
    const auto result = run_activation<Silu>(device_, inputs("staged.gate"), schedule_);

    testing::expect_staged(file_, prefix() + "staged.silu", result.output);
}

TEST_P(ActivationGolden, MulOfTheStagedSilu) {
    const auto result = run_activation<Mul>(device_, inputs("staged.silu"), schedule_);

    testing::expect_staged(file_, prefix() + "staged.combined", result.output);
}

INSTANTIATE_TEST_SUITE_P(OfEveryDevice, ActivationGolden,
                         ::testing::ValuesIn(testing::golden_devices()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace tessera::ops
