// SPDX-License-Identifier: Apache-2.0
// Properties on which the trace of a matmul must not depend.
#include <gtest/gtest.h>

#include "tests/arch_fixture.hpp"
#include "tests/ops/matmul/matmul_cases.hpp"
#include "tests/ops/matmul/matmul_run.hpp"

namespace tessera::ops::matmul {
namespace {

LaunchTrace trace_of(const MatmulCase& test, SessionOptions options) {
    LaunchTrace trace;
    options.trace = TraceMode::On;
    options.trace_sink = [&trace](const Trace&, LaunchTrace&& launch) {
        trace = std::move(launch);
    };
    MatmulDevice device(testing::make_arch(4, 3), options);
    (void)device.run(test.shape, test.schedule, fraction);
    return trace;
}

class MatmulTrace : public ::testing::TestWithParam<MatmulCase> {};

TEST_P(MatmulTrace, IsTheSameAtAnyNumberOfThreadsUnderAnyDeliveryAndWithoutMaths) {
    const LaunchTrace expected = trace_of(GetParam(), {.threads = 1});

    EXPECT_FALSE(expected.cores.empty());
    EXPECT_TRUE(trace_of(GetParam(), {.threads = 2, .delivery = NocDelivery::Random, .seed = 7}) ==
                expected);
    EXPECT_TRUE(trace_of(GetParam(), {.threads = 2, .maths = Maths::Off}) == expected);
}

INSTANTIATE_TEST_SUITE_P(Schedules, MatmulTrace, ::testing::ValuesIn(matmul_cases()), name_of_case);

}  // namespace
}  // namespace tessera::ops::matmul
