// SPDX-License-Identifier: Apache-2.0
// Traces of chosen experts and placements, against tests/golden/placement_e64_d8.safetensors.
#include "runtime/model/routing_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "emu/base/tensor_file/safetensors.hpp"
#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/model/link_placement.hpp"
#include "runtime/model/npy_file.hpp"
#include "runtime/model/placement.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kGolden =
    std::string(TESSERA_SOURCE_DIR) + "/tests/golden/placement_e64_d8.safetensors";
constexpr std::uint32_t kExperts = 64;
constexpr std::uint32_t kDevices = 8;
constexpr std::uint32_t kLayers = 4;

/// Returns a row of a golden tensor of 32-bit elements.
template <class T>
std::vector<T> golden_row(const std::string& name, std::uint32_t row) {
    const HostTensor tensor = SafetensorsFile(kGolden).read(name);
    const std::size_t width = num_elements(tensor.shape) / tensor.shape[0];
    const auto all = tensor.as<T>();
    return {all.begin() + static_cast<std::ptrdiff_t>(row * width),
            all.begin() + static_cast<std::ptrdiff_t>((row + 1) * width)};
}

/// Returns the trace of the golden file, or the later one, under a name that read_routing()
/// accepts.
RoutingTrace golden_trace(const std::string& name) {
    const SafetensorsFile file(kGolden);
    const StoredTensor& stored = file.at(name);
    const ScratchFolder folder;
    const std::string path = folder.file("trace.safetensors");
    const std::array declarations{TensorDeclaration{"routed_experts", stored.dtype, stored.shape}};
    SafetensorsWriter writer(path, declarations);
    writer.append("routed_experts", stored.bytes);
    writer.finish();
    return read_routing(path);
}

std::vector<double> expert_loads(const RoutingTrace& trace, std::uint32_t layer) {
    const auto load = routing_load(trace, layer, linear_placement(kExperts, kDevices), kDevices);
    return {load.experts.begin(), load.experts.end()};
}

class GoldenRouting : public testing::TestWithParam<std::uint32_t> {
protected:
    RoutingTrace trace_ = golden_trace("topk_ids");
    RoutingTrace drift_ = golden_trace("topk_ids_drift");
    std::vector<std::uint32_t> room_ = std::vector<std::uint32_t>(kDevices, 8);
};

TEST_P(GoldenRouting, CountsLoadsAndDevicesOfAToken) {
    const RoutingLoad load =
        routing_load(trace_, GetParam(), linear_placement(kExperts, kDevices), kDevices);

    const auto experts = golden_row<std::int32_t>("expert_load", GetParam());
    EXPECT_TRUE(std::ranges::equal(
        load.experts, experts, [](auto a, auto b) { return a == static_cast<std::uint64_t>(b); }));
    const auto devices = golden_row<std::int32_t>("device_load_linear", GetParam());
    EXPECT_TRUE(std::ranges::equal(load.devices, devices));
    EXPECT_NEAR(max_over_mean(load.devices),
                golden_row<float>("max_over_mean_linear", GetParam())[0], 1e-6);
    EXPECT_NEAR(load.fan_out, golden_row<float>("fan_out", GetParam())[0], 1e-5);
}

TEST_P(GoldenRouting, GreedyPlacementIsTheSame) {
    const Placement placement = greedy_placement(expert_loads(trace_, GetParam()), room_);

    EXPECT_TRUE(
        std::ranges::equal(placement, golden_row<std::int32_t>("lpt_device", GetParam()),
                           [](auto a, auto b) { return a == static_cast<std::uint32_t>(b); }));
}

TEST_P(GoldenRouting, ExchangesAreAsGoodAsTheBest) {
    const std::vector<double> loads = expert_loads(trace_, GetParam());
    const Placement placement = balanced_placement(loads, room_);

    const double most = max_over_mean(loads_of(loads, placement, kDevices));
    EXPECT_LE(most, 1.02 * golden_row<float>("best_max_over_mean", GetParam())[0]);
    EXPECT_GE(most, golden_row<float>("best_lower_bound", GetParam())[0] - 1e-6);
    for (std::uint32_t device = 0; device < kDevices; ++device) {
        EXPECT_EQ(std::ranges::count(placement, device), 8);
    }
}

TEST_P(GoldenRouting, RedundantExpertsShareTheLoad) {
    const std::vector<double> loads = expert_loads(trace_, GetParam());
    const Replicas replicas = replicate(loads, 8);

    EXPECT_TRUE(
        std::ranges::equal(replicas.copies, golden_row<std::int32_t>("replicas", GetParam()),
                           [](auto a, auto b) { return a == static_cast<std::uint32_t>(b); }));
    const std::vector<std::uint32_t> room(kDevices, 9);
    const auto slots = slot_loads(loads, replicas);
    const double greedy = max_over_mean(loads_of(slots, greedy_placement(slots, room), kDevices));
    const double best = max_over_mean(loads_of(slots, balanced_placement(slots, room), kDevices));
    EXPECT_NEAR(greedy, golden_row<float>("redundant_lpt_max_over_mean", GetParam())[0], 1e-6);
    EXPECT_LE(best, 1.02 * golden_row<float>("redundant_max_over_mean", GetParam())[0]);
}

TEST_P(GoldenRouting, DriftRaisesTheLargestLoad) {
    const auto golden = golden_row<std::int32_t>("best_device", GetParam());
    const Placement best(golden.begin(), golden.end());
    const auto under_drift = [&](const Placement& placement) {
        return max_over_mean(routing_load(drift_, GetParam(), placement, kDevices).devices);
    };

    EXPECT_NEAR(under_drift(linear_placement(kExperts, kDevices)),
                golden_row<float>("drift_max_over_mean_linear", GetParam())[0], 1e-6);
    EXPECT_NEAR(under_drift(best), golden_row<float>("drift_max_over_mean_best", GetParam())[0],
                1e-6);
}

TEST_P(GoldenRouting, LinkedExpertsReachFewerDevicesThanThoseInOrder) {
    const std::vector<double> loads = expert_loads(trace_, GetParam());
    const double best = golden_row<float>("best_max_over_mean", GetParam())[0];
    const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / kDevices;

    const Placement linked = linked_placement(trace_, GetParam(), balanced_placement(loads, room_),
                                              loads, 1.1 * best * mean);

    const RoutingLoad load = routing_load(trace_, GetParam(), linked, kDevices);
    EXPECT_LT(load.fan_out, golden_row<float>("fan_out", GetParam())[0]);
    EXPECT_LE(max_over_mean(load.devices), 1.1 * best + 1e-9);
    for (std::uint32_t device = 0; device < kDevices; ++device) {
        EXPECT_EQ(std::ranges::count(linked, device), 8);
    }
}

INSTANTIATE_TEST_SUITE_P(Layers, GoldenRouting, testing::Range(0U, kLayers));

// Even tokens choose experts 0 and 2, odd tokens 1 and 3.
TEST(LinkedPlacement, PutsExpertsOfTheSameTokensOnOneDevice) {
    const RoutingTrace trace{
        .name = "pairs", .tokens = 4, .layers = 1, .top_k = 2, .ids = {0, 2, 1, 3, 2, 0, 3, 1}};
    const std::vector<double> loads(4, 2);

    const Placement linked = linked_placement(trace, 0, {0, 0, 1, 1}, loads, 4);

    EXPECT_EQ(linked[0], linked[2]);
    EXPECT_EQ(linked[1], linked[3]);
    EXPECT_NE(linked[0], linked[1]);
}

TEST(LinkedPlacement, ExchangesNothingThatRaisesALoadAboveTheLimit) {
    const RoutingTrace trace{
        .name = "pairs", .tokens = 2, .layers = 1, .top_k = 2, .ids = {0, 2, 0, 2}};
    const std::vector<double> loads{2, 0, 2, 0};

    EXPECT_THAT(linked_placement(trace, 0, {0, 0, 1, 1}, loads, 2), ElementsAre(0, 0, 1, 1));
}

/// Returns a .npy file of version 1.0 as numpy.save writes it.
std::string npy(const std::string& dictionary, const std::string& data) {
    const std::string header = dictionary + "\n";
    const auto size = static_cast<unsigned>(header.size());
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 0xffU) +
           static_cast<char>(size >> 8U) + header + data;
}

TEST(RoutingTrace, ReadsNpy) {
    const ScratchFolder folder;
    const auto path =
        folder.write("t.npy", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1, 2), }",
                                  std::string("\x01\x00\x02\x00\xff\xff\x00\x01", 8)));

    const RoutingTrace trace = read_routing(path);

    EXPECT_EQ(trace.tokens, 2U);
    EXPECT_EQ(trace.layers, 1U);
    EXPECT_THAT(trace.ids, ElementsAre(1, 2, -1, 256));
}

TEST(RoutingTrace, ReadsNpyUnderAnyName) {
    const ScratchFolder folder;
    const auto path = folder.write("0f3a", npy("{'descr': '|u1', 'fortran_order': False, "
                                               "'shape': (1, 2), }",
                                               "\x03\x05"));

    EXPECT_THAT(read_routing(path).ids, ElementsAre(3, 5));
}

std::string message_of(const std::string& name, const std::string& bytes) {
    const ScratchFolder folder;
    const auto path = folder.write(name, bytes);
    try {
        require_ids(read_routing(path), 4);
    } catch (const UsageError& error) {
        const std::string text = error.what();
        return text.substr(text.find(name));
    }
    return "accepted";
}

TEST(RoutingMistakes, NameTheFileAndTheValue) {
    const std::string two("\x01\x00\x04\x00", 4);
    EXPECT_EQ(message_of("t.npy", "text and more text"),
              "t.npy: not a .npy file; allowed: the format of numpy.save");
    EXPECT_EQ(message_of("t.npy",
                         npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", two)),
              "t.npy: dtype <f4; allowed: <i2, <i4 and other little-endian integers");
    EXPECT_EQ(
        message_of("t.npy", npy("{'descr': '<i2', 'fortran_order': True, 'shape': (1, 2), }", two)),
        "t.npy: is in Fortran order; allowed: numpy.ascontiguousarray of it");
    EXPECT_EQ(message_of("t.npy",
                         npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }", two)),
              "t.npy: has 4 B of data; its shape takes 8 B");
    EXPECT_EQ(
        message_of("t.npy", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", two)),
        "t.npy: has 1 axes; allowed: (tokens, layers, top_k), or (tokens, top_k)");
    EXPECT_EQ(message_of("t.npy",
                         npy("{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }", two)),
              "t.npy: ids(0,0,1) is 4; allowed: -1 to 3, the experts of the layer");
    EXPECT_EQ(message_of("t.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }",
                                      "\x03\x03")),
              "t.npy: ids(0,0,1) is 3, as is the one at 0; a token selects an expert once");
    EXPECT_EQ(message_of("t.npy", npy("{'descr': '<i2', 'fortran_order': False, 'shape': "
                                      "(100000000000000000000, 2), }",
                                      two)),
              "t.npy: an extent is 100000000000000000000; allowed: 0 to 2^64 - 1");
    EXPECT_EQ(message_of("t.npy", npy("{'descr': '<u8', 'fortran_order': False, 'shape': (1, 1), }",
                                      "\xff\xff\xff\xff\xff\xff\xff\xff")),
              "t.npy: holds 18446744073709551615; allowed: integers below 2^63");
    EXPECT_EQ(message_of("t.npy", npy("{'descr': '" + std::string(20'000, 'i') + "'}", two)),
              "t.npy: its header has 20014 B; allowed: 10000");
}

TEST(SyntheticRouting, ChoosesDifferentExpertsForEachToken) {
    const RoutingTrace trace = draw_routing("zipf:1.2", {.tokens = 50, .experts = 16, .top_k = 4});

    require_ids(trace, 16);
    for (std::uint32_t token = 0; token < trace.tokens; ++token) {
        std::vector<std::int32_t> ids(trace.ids.begin() + token * 4,
                                      trace.ids.begin() + token * 4 + 4);
        std::ranges::sort(ids);
        EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
    }
}

// With exponent 1.5, the most popular of 64 experts has 1/2.4 of the weight; with top-1 this is its
// share of choices. Uniform choices of 64 experts have 1/64 each.
TEST(SyntheticRouting, FollowsItsNumber) {
    const auto share = [](const char* load) {
        const RoutingTrace trace = draw_routing(load, {.tokens = 8192, .experts = 64, .top_k = 1});
        const auto loads = routing_load(trace, 0, linear_placement(64, 1), 1).experts;
        return static_cast<double>(std::ranges::max(loads)) / 8192;
    };

    EXPECT_NEAR(share("zipf:1.5"), 1 / 2.363, 0.02);
    EXPECT_NEAR(share("uniform"), 1.0 / 64, 0.008);
    EXPECT_NEAR(share("hot:0.25"), 0.25 + 0.75 / 64, 0.02);
}

TEST(SyntheticRouting, AnUnknownLoadListsTheAllowedOnes) {
    const auto message = [](const char* load) -> std::string {
        try {
            (void)routing_called(load, {});
        } catch (const UsageError& error) {
            return error.what();
        }
        return "accepted";
    };

    EXPECT_EQ(message("zip"),
              "--routing zip: no such file or load; allowed: a .npy or .safetensors file, uniform, "
              "zipf[:EXPONENT], lognormal[:SIGMA], hot[:SHARE]");
    EXPECT_EQ(message("hot:2"), "--routing hot:2: allowed after the colon: a number from 0 to 1");
    EXPECT_EQ(message("uniform:2"),
              "--routing uniform:2: uniform takes no number; allowed: uniform");
}

// The experts of DeepSeek-MoE on 8 devices as vLLM distributes them.
TEST(LinearPlacement, GivesTheFirstDevicesOneMore) {
    const Placement placement = linear_placement(60, 8);

    EXPECT_EQ(std::ranges::count(placement, 3U), 8);
    EXPECT_EQ(std::ranges::count(placement, 4U), 7);
}

}  // namespace
}  // namespace tessera::model
