// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "ops/host_floats.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/matmul/matmul_cases.hpp"
#include "tests/ops/matmul/matmul_run.hpp"

namespace tessera::ops::matmul {
namespace {

std::string name_of_case(const ::testing::TestParamInfo<MatmulCase>& info) {
    return info.param.name;
}

/// Elements that differ from the reference, whose integers are below 128 here.
std::uint64_t count_wrong(const Product& product) {
    const HostTensor expected = reference(product.in0, product.in1);
    std::vector<float> values(num_elements(product.out.shape));
    read_floats(product.out, 0, values);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        wrong += values[i] == expected.as<float>()[i] ? 0 : 1;
    }
    return wrong;
}

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
    EXPECT_EQ(run({.threads = 2, .delivery = NocDelivery::Random, .seed = 7}).out.bytes, one.bytes);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Matmul, ::testing::ValuesIn(matmul_cases()), name_of_case);

}  // namespace
}  // namespace tessera::ops::matmul
