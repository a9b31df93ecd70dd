// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/layer_reference.hpp"

#include <gtest/gtest.h>

#include "runtime/pipeline/moe_input_file.hpp"
#include "tests/golden/golden_file.hpp"

namespace tessera::run {
namespace {

class LayerReference : public testing::TestWithParam<const char*> {};

// Projections are kept in float32: 2^-24 each, far below 1e-5.
TEST_P(LayerReference, IsTheExactChainOfTheGoldenFile) {
    const MoeInputFile file(golden::directory() + GetParam() + ".safetensors");

    const HostTensor final = layer_reference(file.inputs());

    const auto golden = golden::GoldenFile(GetParam()).tensor("final").floats();
    const auto values = final.as<float>();
    const auto distance = golden::distance({values.begin(), values.end()}, golden);
    EXPECT_LT(distance.max_rel_err, 1e-5);
    EXPECT_GT(distance.pcc, 1 - 1e-9);
}

INSTANTIATE_TEST_SUITE_P(V2, LayerReference,
                         testing::Values("v2_d1_basic", "v2_d2_uneven", "v2_d4_mid",
                                         "v2_d8_one_expert"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tessera::run
