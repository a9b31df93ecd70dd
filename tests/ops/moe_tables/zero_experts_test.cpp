// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/split_zero_experts/split_zero_experts.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::ops::split_zero_experts {
namespace {

using ::testing::ElementsAre;
using testing::host_tensor;
using testing::OpRun;
using testing::run_op;
using testing::test_arch;
using testing::values_of;

OpRun split(const Shape& shape, const std::vector<std::int32_t>& ids, std::uint32_t experts) {
    return run_op(op(), SplitSpec{.experts = experts},
                  {{host_tensor(shape, DataFormat::Int32, ids)}}, test_arch());
}

TEST(SplitZeroExperts, LeavesExpertsThatComputeAndNamesTokensOfTheOthers) {
    const OpRun run = split({2, 3}, {7, 3, 8, 0, 9, 1}, 8);

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(7, 3, -1, 0, -1, 1));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[1]), ElementsAre(-1, -1, 0, -1, 1, -1));
}

TEST(SplitZeroExperts, LeavesChoicesOfNobodyAlone) {
    const OpRun run = split({1, 2}, {-1, 4}, 4);

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(-1, -1));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[1]), ElementsAre(-1, 0));
}

class Choices : public ::testing::TestWithParam<Shape> {};

TEST_P(Choices, AreThoseOfTheReference) {
    std::vector<std::int32_t> ids(GetParam()[0] * GetParam()[1]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ids[i] = static_cast<std::int32_t>(i * 7 % 19) - 1;
    }

    const OpRun run = split(GetParam(), ids, 11);

    EXPECT_EQ(run.outputs[0].bytes, run.references[0].bytes);
    EXPECT_EQ(run.outputs[1].bytes, run.references[1].bytes);
}

// One token; one choice; more tokens than cores.
INSTANTIATE_TEST_SUITE_P(Edges, Choices,
                         ::testing::Values(Shape{1, 1}, Shape{1, 8}, Shape{31, 3}, Shape{33, 1},
                                           Shape{200, 8}));

}  // namespace
}  // namespace tessera::ops::split_zero_experts
