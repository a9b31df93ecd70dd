// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/expert_eltwise/expert_eltwise.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/one_page_tensor.hpp"

namespace tessera::ops {
namespace {

using testing::one_page_tensor;

/// Two experts, 40 tokens of 96 elements. A test spoils one of them.
struct Spoilable {
    DeviceTensor gate = one_page_tensor({2, 40, 96}, DataFormat::Float16_b, Layout::TILE);
    DeviceTensor up = one_page_tensor({2, 40, 96}, DataFormat::Float16_b, Layout::TILE);
    DeviceTensor counts = one_page_tensor({2, 1}, DataFormat::UInt32, Layout::ROW_MAJOR);
    std::vector<std::uint32_t> host_counts{40, 3};
    DeviceTensor output = one_page_tensor({2, 40, 96}, DataFormat::Float16_b, Layout::TILE);
    ActivationSpec schedule{.split_by = SplitBy::Host, .grid = {}, .cb_depth = 2};

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)call_program(expert_eltwise::mul(), testing::small_arch(), &schedule,
                               {gate, up, counts}, {output}, host_counts);
        });
    }
};

TEST(ActivationErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(ActivationErrors, NamesASecondInputOfAnotherShape) {
    Spoilable test;
    test.up.spec.shape = {2, 40, 64};
    EXPECT_EQ(test.message(),
              "mul: up is (2,40,64) bfloat16 TILE; allowed: (2,40,96) bfloat16 TILE");
}

TEST(ActivationErrors, NamesBuffersWithoutDepth) {
    Spoilable test;
    test.schedule.cb_depth = 0;
    EXPECT_EQ(test.message(), "mul: cb_depth is 0; allowed: at least 1");
}

TEST(ActivationErrors, NamesCountsAboveTheTokens) {
    Spoilable test;
    test.host_counts = {40, 41};
    EXPECT_EQ(test.message(),
              "mul: num_routed_tokens of expert 1 is 41; allowed: at most 40, the rows of the "
              "tensor");
}

TEST(ActivationErrors, SiluNamesItselfAndItsInput) {
    Spoilable test;
    test.gate.spec.shape = {96};
    EXPECT_EQ(usage_error_message([&] {
                  (void)call_program(expert_eltwise::silu(), testing::small_arch(), &test.schedule,
                                     {test.gate, test.counts}, {test.output}, test.host_counts);
              }),
              "silu: gate is (96) bfloat16 TILE; allowed: (E/D,T,H') bfloat16 TILE");
}

}  // namespace
}  // namespace tessera::ops
