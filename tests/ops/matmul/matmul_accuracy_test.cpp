// SPDX-License-Identifier: Apache-2.0
// Distance of results from the double reference, by fidelity and format of sums.
#include <gtest/gtest.h>

#include "tessera/tensor_compare.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/matmul/matmul_cases.hpp"
#include "tests/ops/matmul/matmul_run.hpp"

namespace tessera::ops::matmul {
namespace {

constexpr MatmulShape kShape{150, 320, 200};

MatmulSpec exact_spec() {
    return {.schedule = kGrid,
            .grid = {},
            .in0_block_w = 2,
            .out_subblock = {1, 1},
            .fp32_dest_acc = true,
            .math_fidelity = MathFidelity::HiFi4};
}

Closeness closeness(const MatmulSpec& schedule) {
    MatmulDevice device(testing::make_arch(4, 3));
    const Product product = device.run(kShape, schedule, fraction);
    const HostTensor expected = reference(product);
    return compare_close(NumberView(product.out), NumberView(expected), CloseTolerance{});
}

bool meets_contract(const Closeness& result) {
    return result.passes({kSpec.tolerance.min_pcc, kSpec.tolerance.max_relative_error});
}

TEST(MatmulAccuracy, MeetsItsContractWithFp32SumsThatAreReloaded) {
    EXPECT_TRUE(meets_contract(closeness(exact_spec())));
}

TEST(MatmulAccuracy, MeetsItsContractWithFp32SumsThatThePackerAdds) {
    MatmulSpec schedule = exact_spec();
    schedule.packer_l1_acc = true;
    EXPECT_TRUE(meets_contract(closeness(schedule)));
}

TEST(MatmulAccuracy, MeetsItsContractTileAtATime) {
    MatmulSpec schedule = exact_spec();
    schedule.schedule = kMulti;
    schedule.in0_block_w = 1;
    EXPECT_TRUE(meets_contract(closeness(schedule)));
}

// 16 products at a time are added to a sum of 8 significant bits.
TEST(MatmulAccuracy, IsCoarserWithBfloat16Sums) {
    MatmulSpec schedule = exact_spec();
    schedule.fp32_dest_acc = false;
    const Closeness result = closeness(schedule);

    EXPECT_GT(result.max_rel_err, kSpec.tolerance.max_relative_error);
    EXPECT_GT(result.pcc, 0.999);
}

// At LoFi, in1 keeps 4 and in0 6 of 7 stored mantissa bits; HiFi2 keeps all bits of in1.
TEST(MatmulAccuracy, GrowsWithFidelity) {
    MatmulSpec schedule = exact_spec();
    schedule.math_fidelity = MathFidelity::LoFi;
    const Closeness lofi = closeness(schedule);
    schedule.math_fidelity = MathFidelity::HiFi2;
    const Closeness hifi2 = closeness(schedule);
    const Closeness hifi4 = closeness(exact_spec());

    EXPECT_GT(lofi.max_rel_err, hifi2.max_rel_err);
    EXPECT_GT(hifi2.max_rel_err, hifi4.max_rel_err);
    EXPECT_GT(lofi.pcc, 0.999);
}

// 7 significant bits for the largest of 16 values, which is 2^-7 of it; fewer for each other value.
TEST(MatmulAccuracy, OfBfp8IsThatOfItsSharedExponents) {
    MatmulSpec schedule = exact_spec();
    schedule.in0 = kBfp8;
    schedule.in1 = kBfp8;
    schedule.out = kBfp8;
    const Closeness result = closeness(schedule);

    EXPECT_GT(result.max_rel_err, kSpec.tolerance.max_relative_error);
    EXPECT_GT(result.pcc, 0.9999);
}

TEST(MatmulAccuracy, OfBfp4WeightsIsThatOfTheirValuesOnTheDevice) {
    MatmulSpec schedule = exact_spec();
    schedule.in1 = {TensorPlacement::DramInterleaved, DataFormat::Bfp4_b};
    EXPECT_TRUE(meets_contract(closeness(schedule)));
}

}  // namespace
}  // namespace tessera::ops::matmul
