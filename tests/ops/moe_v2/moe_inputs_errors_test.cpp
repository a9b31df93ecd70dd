// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/ops/moe_v2/golden_layer.hpp"

namespace tessera {
namespace {

using ops::moe_v2::MoeInputs;
using ops::moe_v2::Projection;
using testing::GarbageSession;
using testing::GoldenLayer;

// T 40, K 3, H 80, H' 96, 8 experts on two devices.
class MoeInputErrors : public ::testing::Test {
protected:
    MoeInputErrors() : layer_("v2_d2_uneven"), inputs_(layer_.inputs()) {}

    void expect_error(const std::string& message) {
        GarbageSession session(mesh_, arch_, {.threads = 1});
        try {
            ops::moe_v2::run(session, inputs_, testing::default_ops());
            FAIL() << "no error; expected: " << message;
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(), message);
        }
        EXPECT_EQ(session.num_launches(), 0);
    }

    MeshSpec mesh_{.shape = {1, 2}, .topology = Topology::Line, .device = "test_arch"};
    ArchSpec arch_ = testing::small_arch();
    GoldenLayer layer_;
    MoeInputs inputs_;
};

TEST_F(MoeInputErrors, WrongFormat) {
    inputs_.hidden_states.format = DataFormat::Float32;

    expect_error(
        "moe_v2: hidden_states is (40,80) float32; it must be (T,H) bfloat16 without an extent of "
        "0");
}

TEST_F(MoeInputErrors, WrongRank) {
    inputs_.selected_experts.shape = {120};

    expect_error(
        "moe_v2: selected_experts is (120) uint32; it must be (T,K) uint32 without an extent of 0");
}

TEST_F(MoeInputErrors, ShapesThatDisagree) {
    inputs_.routing_weights = make_host_tensor({40, 4}, DataFormat::Float16_b);

    expect_error("moe_v2: routing_weights has shape (40,4); the other tensors ask for (40,3)");
}

TEST_F(MoeInputErrors, OtherNumberOfTokens) {
    inputs_.hidden_states = make_host_tensor({41, 80}, DataFormat::Float16_b);

    expect_error("moe_v2: selected_experts has shape (40,3); the other tensors ask for (41,3)");
}

TEST_F(MoeInputErrors, OtherNumberOfDevices) {
    mesh_.shape = {2, 2};

    expect_error(
        "moe_v2: device_expert_mapping has 2 rows, one for each device; the mesh of 2×2 has 4 "
        "devices");
}

TEST_F(MoeInputErrors, MappingOutOfRange) {
    inputs_.device_expert_mapping.as<std::int32_t>()[6] = -1;

    expect_error("moe_v2: device_expert_mapping(1,2) is -1; expert ids are 0 to 7");
}

TEST_F(MoeInputErrors, MappingWithAnExpertTwice) {
    inputs_.device_expert_mapping.as<std::int32_t>()[6] = 3;

    expect_error("moe_v2: device_expert_mapping(1,2) is 3, as is (0,3); each expert stands once");
}

TEST_F(MoeInputErrors, ExpertOutOfRange) {
    inputs_.selected_experts.as<std::uint32_t>()[5 * 3 + 2] = 8;

    expect_error("moe_v2: selected_experts(5,2) is 8; expert ids are 0 to 7");
}

TEST_F(MoeInputErrors, ExpertTwiceInARow) {
    const auto ids = inputs_.selected_experts.as<std::uint32_t>();
    ids[0] = 4;
    ids[1] = 6;
    ids[2] = 4;

    expect_error("moe_v2: selected_experts(0,2) is 4, as is (0,0); a token selects an expert once");
}

TEST_F(MoeInputErrors, NoIntermediateSize) {
    inputs_.intermediate = 0;

    expect_error("moe_v2: the intermediate size H' is 0; it must be at least 1");
}

TEST_F(MoeInputErrors, WeightsOfAnotherShape) {
    const auto make = inputs_.make_weights;
    inputs_.make_weights = [make](Projection projection, std::uint32_t device) {
        return make(projection == Projection::Down ? Projection::Up : projection, device);
    };

    expect_error(
        "moe_v2: down_weights of device 0 are (4,80,96) bfloat16; they must be (4,96,80) bfloat16");
}

TEST_F(MoeInputErrors, WeightsThatDoNotFit) {
    // 3 · 4 experts · 3 × 3 tiles of 2048 bytes; 12 banks of 17408 − 1024 bytes.
    arch_.dram.bank_size = Bytes{17408};

    expect_error(
        "moe_v2: the weights of a device's 4 experts take 221184 bytes; a test_arch has 196608 "
        "bytes of DRAM");
}

}  // namespace
}  // namespace tessera
