// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {
namespace {

DeviceTensor tensor(Shape shape, DataFormat format) {
    DeviceTensor made{{std::move(shape), format, Layout::ROW_MAJOR}, {}};
    made.buffer.page_size = 32;
    made.buffer.aligned_page_size = 32;
    made.buffer.num_pages = 1;
    return made;
}

/// 5 tokens, 2 choices, 3 local experts; a test spoils one tensor or the schedule.
struct Spoilable {
    DeviceTensor selected = tensor({5, 2}, DataFormat::UInt32);
    DeviceTensor weights = tensor({5, 2}, DataFormat::Float16_b);
    DeviceTensor local = tensor({3}, DataFormat::Int32);
    DeviceTensor counts = tensor({3, 1}, DataFormat::UInt32);
    DeviceTensor routed = tensor({3, 5}, DataFormat::UInt32);
    DeviceTensor routed_weights = tensor({3, 5}, DataFormat::Float16_b);
    DeviceTensor map = tensor({3, 5}, DataFormat::UInt32);
    CopySpec schedule{.grid = {}, .cb_depth = 2};

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)make_program(testing::small_arch(), {selected, weights, local},
                               {counts, routed, routed_weights, map}, schedule);
        });
    }
};

TEST(PrepareMoeRoutingTensorsErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(PrepareMoeRoutingTensorsErrors, NamesASelectionOfAnotherFormat) {
    Spoilable test;
    test.selected.spec.format = DataFormat::UInt16;
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: selected_experts is (5,2) uint16 ROW_MAJOR; it must be "
              "uint32 ROW_MAJOR of rank 2 without an extent of 0");
}

TEST(PrepareMoeRoutingTensorsErrors, NamesAMappingOfAllDevices) {
    Spoilable test;
    test.local.spec.shape = {2, 3};
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: local_experts is (2,3) int32 ROW_MAJOR; it must be "
              "int32 ROW_MAJOR of rank 1 without an extent of 0");
}

TEST(PrepareMoeRoutingTensorsErrors, NamesWeightsOfAnotherShape) {
    Spoilable test;
    test.weights.spec.shape = {5, 3};
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: routing_weights is (5,3) bfloat16 ROW_MAJOR; it must "
              "be (5,2) bfloat16 ROW_MAJOR");
}

TEST(PrepareMoeRoutingTensorsErrors, NamesAnOutputOfAnotherShape) {
    Spoilable test;
    test.map.spec.shape = {5, 3};
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: token_idx_map is (5,3) uint32 ROW_MAJOR; it must be "
              "(3,5) uint32 ROW_MAJOR");
}

TEST(PrepareMoeRoutingTensorsErrors, RefusesADepthOfZero) {
    Spoilable test;
    test.schedule.cb_depth = 0;
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: the schedule's cb_depth is 0; it must be at least 1");
}

TEST(PrepareMoeRoutingTensorsErrors, RefusesAGridWithoutRows) {
    Spoilable test;
    test.schedule.grid = {2, 0};
    EXPECT_EQ(test.message(),
              "prepare_moe_routing_tensors: the schedule's grid is 2x0; test_arch has 1x1 to 2x2 "
              "cores (0x0: all)");
}

}  // namespace
}  // namespace tessera::ops::prepare_moe_routing_tensors
