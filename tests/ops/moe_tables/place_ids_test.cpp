// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/moe_place_ids/moe_place_ids.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::ops::moe_place_ids {
namespace {

using ::testing::ElementsAre;
using testing::host_tensor;
using testing::OpRun;
using testing::run_op;
using testing::test_arch;
using testing::values_of;

OpRun place(const Shape& shape, const std::vector<std::int32_t>& ids,
            const std::vector<std::int32_t>& places, std::uint32_t slots) {
    const auto experts = static_cast<std::uint32_t>(places.size());
    return run_op(op(), PlaceSpec{.slots = slots},
                  {{host_tensor(shape, DataFormat::Int32, ids)},
                   {host_tensor({experts}, DataFormat::Int32, places)}},
                  test_arch());
}

TEST(PlaceIds, LooksUpThePlaceOfEachExpert) {
    const OpRun run = place({2, 3}, {0, 2, 1, 2, 0, 1}, {4, 0, 7}, 8);

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(4, 7, 0, 7, 4, 0));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[1]), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(PlaceIds, LeavesChoicesOfNobodyAlone) {
    const OpRun run = place({1, 2}, {-1, 1}, {1, 0}, 2);

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(-1, 0));
}

class Tokens : public ::testing::TestWithParam<Shape> {};

TEST_P(Tokens, ArePlacedAsTheReferenceSays) {
    std::vector<std::int32_t> ids(GetParam()[0] * GetParam()[1]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ids[i] = static_cast<std::int32_t>(i * 7 % 12) - 1;
    }

    const OpRun run = place(GetParam(), ids, {10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 12);

    EXPECT_EQ(run.outputs[0].bytes, run.references[0].bytes);
    EXPECT_EQ(run.outputs[1].bytes, run.references[1].bytes);
}

// One token; one choice; more tokens than cores and than rows in L1.
INSTANTIATE_TEST_SUITE_P(Edges, Tokens,
                         ::testing::Values(Shape{1, 1}, Shape{1, 8}, Shape{33, 1}, Shape{700, 3}));

}  // namespace
}  // namespace tessera::ops::moe_place_ids
