// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/arch_fixture.hpp"
#include "tests/ops/matmul/matmul_cases.hpp"
#include "tests/ops/matmul/matmul_run.hpp"

namespace tessera::ops::matmul {
namespace {

class Matmul : public ::testing::TestWithParam<MatmulCase> {};

TEST_P(Matmul, IsExactOnSmallIntegers) {
    MatmulDevice device(testing::make_arch(4, 3));

    const Product product = device.run(GetParam().shape, GetParam().schedule, small_integer);

    EXPECT_EQ(count_wrong(product), 0U);
}

TEST_P(Matmul, GivesTheSameBytesAtAnyNumberOfThreadsAndUnderAnyDelivery) {
    const ArchSpec arch = testing::make_arch(4, 3);
    const auto run = [&](const SessionOptions& options) {
        return MatmulDevice(arch, options).run(GetParam().shape, GetParam().schedule, fraction);
    };

    const HostTensor one = run({.threads = 1}).out;

    EXPECT_EQ(run({.threads = 2}).out.bytes, one.bytes);
    EXPECT_EQ(run({.threads = 2, .delivery = NocDelivery::AtIssue}).out.bytes, one.bytes);
    for (const std::uint64_t seed : {7, 8, 9}) {
        EXPECT_EQ(run({.threads = 2, .delivery = NocDelivery::Random, .seed = seed}).out.bytes,
                  one.bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(Schedules, Matmul, ::testing::ValuesIn(matmul_cases()), name_of_case);

}  // namespace
}  // namespace tessera::ops::matmul
