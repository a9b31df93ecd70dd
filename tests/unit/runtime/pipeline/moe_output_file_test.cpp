// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/moe_output_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/golden/golden_file.hpp"

namespace tessera::run {
namespace {

RunSpec uneven_run() {
    RunSpec run;
    run.mesh.shape = {1, 2};
    run.workload = {.tokens = 40, .hidden = 80, .intermediate = 96, .experts = 8, .top_k = 3};
    return run;
}

// The golden file has F32 where the exact chain is kept; what runs is BF16, as its staged chain.
TEST(MoeOutputTensors, HaveTheShapesOfTheGoldenFile) {
    const golden::GoldenFile golden("v2_d2_uneven");
    const auto tensors = moe_output_tensors(uneven_run());

    ASSERT_EQ(tensors.size(), 2U * 11 + 1);
    for (const TensorDeclaration& tensor : tensors) {
        std::string name = tensor.name;
        if (!golden.has(name)) {  // d0.silu is only in the staged chain
            name.insert(name.find('.') + 1, "staged.");
        }
        EXPECT_EQ(tensor.shape, golden.tensor(name).shape) << tensor.name;
        const std::string dtype = golden.tensor(name).dtype;
        EXPECT_EQ(name_of(tensor.dtype), dtype == "F32" ? "BF16" : dtype) << tensor.name;
    }
}

TEST(MoeOutputTensors, HaveNoSiluWhereItIsFused) {
    RunSpec run = uneven_run();
    run.ops.activation.schedule = ActivationSchedule::Fused;

    const auto tensors = moe_output_tensors(run);

    EXPECT_EQ(tensors.size(), 2U * 10 + 1);
    EXPECT_EQ(std::ranges::count(tensors, "d1.silu", &TensorDeclaration::name), 0);
}

}  // namespace
}  // namespace tessera::run
