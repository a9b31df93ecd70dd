// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/scatter_moe_input/scatter_moe_input.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/one_page_tensor.hpp"

namespace tessera::ops::scatter_moe_input {
namespace {

using testing::one_page_tensor;

/// Three experts, 5 tokens of 7 elements. A test spoils one of them.
struct Spoilable {
    DeviceTensor hidden = one_page_tensor({5, 7}, DataFormat::Float16_b);
    DeviceTensor counts = one_page_tensor({3, 1}, DataFormat::UInt32);
    DeviceTensor routed = one_page_tensor({3, 5}, DataFormat::UInt32);
    DeviceTensor scattered = one_page_tensor({3, 5, 7}, DataFormat::Float16_b);
    CopySpec schedule{.grid = {}, .cb_depth = 2};

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)call_program(op(), testing::small_arch(), &schedule, {hidden, counts, routed},
                               {scattered});
        });
    }
};

TEST(ScatterMoeInputErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(ScatterMoeInputErrors, NamesATableForAnotherNumberOfTokens) {
    Spoilable test;
    test.routed.spec.shape = {3, 6};
    EXPECT_EQ(test.message(),
              "scatter_moe_input: routed_tokens is (3,6) uint32 ROW_MAJOR; allowed: (3,5) uint32 "
              "ROW_MAJOR");
}

TEST(ScatterMoeInputErrors, RefusesADepthOfZero) {
    Spoilable test;
    test.schedule.cb_depth = 0;
    EXPECT_EQ(test.message(), "scatter_moe_input: cb_depth is 0; allowed: at least 1");
}

TEST(ScatterMoeInputErrors, RefusesAGridLargerThanTheDevice) {
    Spoilable test;
    test.schedule.grid = {3, 1};
    EXPECT_EQ(test.message(),
              "scatter_moe_input: grid [3, 1] is not part of the test_arch's grid; allowed: [0, "
              "0], which is all of it, or [1, 1] to [2, 2]");
}

}  // namespace
}  // namespace tessera::ops::scatter_moe_input
