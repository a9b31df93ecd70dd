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

TEST(ModelOp, IsRefusedForWhatIsNotHere) {
    EXPECT_THAT(
        [] { predict("ring MLA SDPA"); },
        ::testing::ThrowsMessage<NotExpressible>("no op passes keys and values from core to core"));
}

TEST(ModelOp, OfARemovedProgramStatesHowFarItWasOff) {
    EXPECT_THAT([] { predict("layernorm (RMS)"); },
                ::testing::ThrowsMessage<NotExpressible>(
                    "no op norms rows that are sharded over cores; a program of the score was "
                    "16 % and 22 % too fast"));
}

TEST(ModelOp, IsRefusedForWhatItsRowLeavesOut) {
    EXPECT_THAT(
        [] { predict("Qwen3-32B decode op FF2_MM"); },
        ::testing::ThrowsMessage<NotExpressible>("shapes, blocks and placement are not stated"));
}

TEST(ModelOp, OfAnyOtherWorkloadIsRefusedForItsPlacement) {
    EXPECT_THAT([] { predict("tilize"); },
                ::testing::ThrowsMessage<NotExpressible>(
                    "cores and placement of its tensors are not stated"));
}

}  // namespace
}  // namespace tessera::score
