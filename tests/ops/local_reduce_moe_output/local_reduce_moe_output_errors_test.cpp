// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/one_page_tensor.hpp"

namespace tessera::ops::local_reduce_moe_output {
namespace {

using testing::one_page_tensor;

/// 3 experts, 5 tokens of 7 elements. A test spoils one tensor or the schedule.
struct Spoilable {
    DeviceTensor rows = one_page_tensor({3, 5, 7}, DataFormat::Float16_b);
    DeviceTensor map = one_page_tensor({3, 5}, DataFormat::UInt32);
    DeviceTensor weights = one_page_tensor({3, 5}, DataFormat::Float16_b);
    DeviceTensor counts = one_page_tensor({3, 1}, DataFormat::UInt32);
    DeviceTensor local = one_page_tensor({5, 7}, DataFormat::Float16_b);
    LocalReduceSpec schedule{.accumulator = ReduceAccumulator::Fp32, .grid = {}, .cb_depth = 2};

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)call_program(op(), testing::small_arch(), &schedule, {rows, map, weights, counts},
                               {local});
        });
    }
};

TEST(LocalReduceErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(LocalReduceErrors, NamesWeightsOfAnotherShape) {
    Spoilable test;
    test.weights.spec.shape = {5, 3};
    EXPECT_EQ(test.message(),
              "local_reduce_moe_output: routed_token_weights is (5,3) bfloat16 ROW_MAJOR; "
              "allowed: (3,5) bfloat16 ROW_MAJOR");
}

TEST(LocalReduceErrors, NamesCountsOfAnotherNumberOfExperts) {
    Spoilable test;
    test.counts.spec.shape = {4, 1};
    EXPECT_EQ(test.message(),
              "local_reduce_moe_output: num_routed_tokens is (4,1) uint32 ROW_MAJOR; allowed: "
              "(3,1) uint32 ROW_MAJOR");
}

TEST(LocalReduceErrors, RefusesADepthOfZero) {
    Spoilable test;
    test.schedule.cb_depth = 0;
    EXPECT_EQ(test.message(), "local_reduce_moe_output: cb_depth is 0; allowed: at least 1");
}

}  // namespace
}  // namespace tessera::ops::local_reduce_moe_output
