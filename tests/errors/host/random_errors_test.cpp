// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "emu/base/random_routing.hpp"
#include "emu/base/random_tensor.hpp"
#include "tessera/number_view.hpp"
#include "tests/errors/host/usage_error_message.hpp"

namespace tessera {
namespace {

RoutingDraw eight_experts(std::uint32_t top_k) {
    RoutingDraw spec;
    spec.tokens = 4;
    spec.experts = 8;
    spec.top_k = top_k;
    return spec;
}

TEST(RandomTensorErrors, SpreadThatIsNoSpread) {
    EXPECT_EQ(usage_error_message([] {
                  (void)make_normal_bf16({2}, {1, 0, -1});
              }),
              "fill_normal_bf16: mean 0 and stddev -1 must be finite, stddev not negative");
    EXPECT_EQ(usage_error_message([] {
                  (void)make_normal_bf16({2}, {1, std::numeric_limits<float>::infinity(), 1});
              }),
              "fill_normal_bf16: mean inf and stddev 1 must be finite, stddev not negative");
}

TEST(RandomRoutingErrors, TopKOutOfRange) {
    EXPECT_EQ(usage_error_message([] { (void)make_selected_experts(eight_experts(9)); }),
              "make_selected_experts: top_k: 9, allowed: 1 to 8 experts");
    EXPECT_EQ(usage_error_message([] { (void)make_selected_experts(eight_experts(0)); }),
              "make_selected_experts: top_k: 0, allowed: 1 to 8 experts");
    EXPECT_EQ(usage_error_message([] { (void)make_routing_weights(eight_experts(0)); }),
              "make_routing_weights: top_k: 0, allowed: 1 or more");
}

TEST(RandomRoutingErrors, ZipfExponent) {
    RoutingDraw spec = eight_experts(2);
    spec.kind = RoutingKind::Zipf;
    spec.zipf_exponent = -0.5;

    EXPECT_EQ(usage_error_message([&] { (void)make_selected_experts(spec); }),
              "make_selected_experts: zipf_exponent: -0.5, allowed: finite, 0 or more");
}

TEST(RandomRoutingErrors, NoDevicesForTheExperts) {
    EXPECT_EQ(usage_error_message([] { (void)make_device_expert_mapping(eight_experts(2), 0); }),
              "make_device_expert_mapping: num_devices: 0, allowed: 1 or more");
}

TEST(NumberViewErrors, Integers) {
    const HostTensor tensor = make_host_tensor({2, 3}, DataFormat::Int32);

    EXPECT_EQ(usage_error_message([&] { NumberView view(tensor); }),
              "NumberView: tensor of shape (2,3): int32, allowed: bfloat16, float32");
}

}  // namespace
}  // namespace tessera
