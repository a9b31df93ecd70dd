// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/held_values.hpp"
#include "tests/ops/one_page_tensor.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {
namespace {

using testing::one_page_tensor;

/// 5 tokens, 2 choices, 3 local experts. A test spoils one tensor or the schedule.
struct Spoilable {
    DeviceTensor selected = one_page_tensor({5, 2}, DataFormat::UInt32);
    DeviceTensor weights = one_page_tensor({5, 2}, DataFormat::Float16_b);
    DeviceTensor local = one_page_tensor({3}, DataFormat::Int32);
    DeviceTensor counts = one_page_tensor({3, 1}, DataFormat::UInt32);
    DeviceTensor routed = one_page_tensor({3, 5}, DataFormat::UInt32);
    DeviceTensor routed_weights = one_page_tensor({3, 5}, DataFormat::Float16_b);
    DeviceTensor map = one_page_tensor({3, 5}, DataFormat::UInt32);
    CopySpec schedule{.grid = {}, .cb_depth = 2};

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)call_program(op(), testing::small_arch(), &schedule, {selected, weights, local},
                               {counts, routed, routed_weights, map});
        });
    }
};

TEST(PrepareMoeRoutingTensorsErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(PrepareMoeRoutingTensorsErrors, NamesAnOutputOfAnotherShape) {
    Spoilable test;
    test.map.spec.shape = {5, 3};
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: token_idx_map is (5,3) uint32 ROW_MAJOR; allowed: "
              "(3,5) uint32 ROW_MAJOR");
}

TEST(PrepareMoeRoutingTensorsErrors, RefusesADepthOfZero) {
    Spoilable test;
    test.schedule.cb_depth = 0;
    EXPECT_EQ(test.message(), "prepare_moe_routing_tensors: cb_depth is 0; allowed: at least 1");
}

TEST(PrepareMoeRoutingTensorsErrors, RefusesAGridWithoutRows) {
    Spoilable test;
    test.schedule.grid = {2, 0};
    EXPECT_EQ(
        test.message(),
        "prepare_moe_routing_tensors: grid [2, 0] is not part of the test_arch's grid; allowed: "
        "[0, 0], which is all of it, or [1, 1] to [2, 2]");
}

/// Two tokens that choose two of four experts, with two experts on each of two devices. A test
/// spoils a value.
struct Choices {
    std::vector<std::uint32_t> selected{0, 3, 2, 1};
    std::vector<std::vector<std::int32_t>> local{{0, 2}, {3, 1}};

    [[nodiscard]] std::string message() const {
        const HostTensor choices =
            testing::host_tensor<std::uint32_t>({2, 2}, DataFormat::UInt32, selected);
        std::vector<HostTensor> experts;
        for (const auto& ids : local) {
            experts.push_back(testing::host_tensor<std::int32_t>({2}, DataFormat::Int32, ids));
        }
        const testing::HeldStep step(nullptr, {{choices, choices}, {}, experts});
        return usage_error_message([&] { op().check_values(step.at(0)); });
    }
};

TEST(RoutingValues, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Choices{}.message(), "(nothing thrown)");
}

TEST(RoutingValues, NamesAChoiceThatIsNoExpert) {
    Choices test;
    test.selected[2] = 4;
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: selected_experts(1,0) is 4; expert ids are 0 to 3");
}

TEST(RoutingValues, NamesAnExpertThatATokenChoosesTwice) {
    Choices test;
    test.selected[3] = 2;
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: selected_experts(1,1) is 2, as is (1,0); a token "
              "selects an expert once");
}

TEST(RoutingValues, NamesALocalExpertOutOfRange) {
    Choices test;
    test.local[1][0] = 4;
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: local_experts(0) of device 1 is 4; expert ids are 0 "
              "to 3");
}

TEST(RoutingValues, NamesAnExpertOnTwoDevices) {
    Choices test;
    test.local[1][1] = 2;
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: local_experts(1) of device 1 is 2, as is "
              "local_experts(1) of device 0; allowed: each expert once");
}

}  // namespace
}  // namespace tessera::ops::prepare_moe_routing_tensors
