// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::score {
namespace {

void predict(const char* workload) {
    const Row row{.workload = workload, .metric = "kernel_duration", .unit = "us"};
    (void)predict_model_op(row, Parameters(""), {.arch = testing::make_arch(4, 4)});
}

TEST(ModelOp, IsRefusedForWhatItsRowLeavesOut) {
    EXPECT_THAT([] { predict("SDPA decode"); },
                ::testing::ThrowsMessage<NotExpressible>(
                    "how far each user's cache is filled is not stated"));
}

TEST(ModelOp, TheFirstReasonThatFitsIsGiven) {
    EXPECT_THAT([] { predict("DeepSeek MLA linear wq_b"); },
                ::testing::ThrowsMessage<NotExpressible>(
                    "blocks and placement of the product are not stated"));
}

TEST(ModelOp, OfAnyOtherWorkloadIsRefusedForItsPlacement) {
    EXPECT_THAT([] { predict("rotary fused QK"); },
                ::testing::ThrowsMessage<NotExpressible>(
                    "cores and placement of its tensors are not stated"));
}

}  // namespace
}  // namespace tessera::score
