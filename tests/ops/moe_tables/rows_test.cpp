// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/gather_rows/gather_rows.hpp"
#include "ops/put_rows/put_rows.hpp"
#include "ops/slice_rows/slice_rows.hpp"
#include "ops/to_block_format/to_block_format.hpp"
#include "ops/transpose/transpose.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::ops {
namespace {

using ::testing::ElementsAre;
using testing::host_tensor;
using testing::run_op;
using testing::values_of;

HostTensor ints(Shape shape, const std::vector<std::int32_t>& values) {
    return host_tensor(std::move(shape), DataFormat::Int32, values);
}

const HostTensor kRows = ints({3, 2}, {1, 2, 3, 4, 5, 6});

TEST(GatherRows, TakesRowsByATableAndZerosWhereItNamesNone) {
    const gather_rows::GatherSpec spec{.divisor = 2, .grid = {}, .cb_depth = 4};

    const auto run = run_op(gather_rows::op(), spec, {{kRows}, {ints({2, 2}, {5, 0, -1, 6})}},
                            testing::test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(5, 6, 1, 2, 0, 0, 0, 0));
}

TEST(GatherRows, WritesNoMoreRowsThanTheLimit) {
    const gather_rows::GatherSpec spec{.divisor = 1, .grid = {1, 1}, .cb_depth = 2};

    const auto run =
        run_op(gather_rows::op(), spec, {{kRows}, {ints({3}, {2, 1, 0})}, {ints({1}, {2})}},
               testing::test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(5, 6, 3, 4, -1, -1));
}

// 640 rows of 32 B on 64 cores. Below the limit of 130 there are two or three rows for each of them.
TEST(GatherRows, DistributesTheRowsBelowTheLimitOverAllCores) {
    const gather_rows::GatherSpec spec{.divisor = 1, .grid = {}, .cb_depth = 2};
    HostTensor order = make_host_tensor({640}, DataFormat::Int32);
    std::ranges::fill(order.as<std::int32_t>(), 1);

    const auto run =
        run_op(gather_rows::op(), spec,
               {{make_host_tensor({640, 8}, DataFormat::Int32)}, {order}, {ints({1}, {130})}},
               testing::test_arch());

    ASSERT_EQ(run.launch.cores.size(), 64U);
    std::uint64_t written = 0;
    for (const CoreActivity& core : run.launch.cores) {
        EXPECT_THAT(core.bytes_written, ::testing::AnyOf(2U * 32, 3U * 32));
        written += core.bytes_written;
    }
    EXPECT_EQ(written, 130U * 32);
}

TEST(SliceRows, FillsUpBehindTheLastRow) {
    const slice_rows::SliceSpec spec{
        .rows = 3, .first = 2, .fill = 0xFFFFFFFF, .grid = {}, .cb_depth = 3};

    const auto run = run_op(slice_rows::op(), spec, {{kRows}}, testing::test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(5, 6, -1, -1, -1, -1));
}

TEST(SliceRows, TakesNoMoreRowsThanTheInputIsSaidToHave) {
    const slice_rows::SliceSpec spec{.rows = 3, .grid = {}, .cb_depth = 2};

    const auto run =
        run_op(slice_rows::op(), spec,
               {{kRows}, {host_tensor<std::uint32_t>({1, 1}, DataFormat::UInt32, {1})}},
               testing::test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(1, 2, 0, 0, 0, 0));
}

TEST(PutRows, LeavesOtherRowsAsTheyAre) {
    const put_rows::PutSpec spec{.rows = 5, .first = 1, .grid = {}, .cb_depth = 2};

    const auto run = run_op(put_rows::op(), spec, {{kRows}}, testing::test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]),
                ElementsAre(-1, -1, 1, 2, 3, 4, 5, 6, -1, -1));
}

TEST(Transpose, TurnsEveryMatrixOfAStack) {
    HostTensor input = make_host_tensor({2, 33, 70}, DataFormat::Float16_b);
    for (std::size_t i = 0; i < input.as<std::uint16_t>().size(); ++i) {
        input.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(0x3F80 + i % 1000);
    }
    const CopySpec spec{.grid = {}, .cb_depth = 2};

    const auto run = run_op(transpose::op(), spec, {{input, Layout::TILE}}, testing::test_arch());

    EXPECT_EQ(run.outputs[0].as<std::uint16_t>()[33 * 70 + 5 * 33 + 7],
              input.as<std::uint16_t>()[33 * 70 + 7 * 70 + 5]);
    EXPECT_EQ(run.outputs[0].bytes, run.references[0].bytes);
}

class BlockFormats : public ::testing::TestWithParam<to_block_format::BlockFormat> {};

TEST_P(BlockFormats, RoundAsTheirRuleSays) {
    HostTensor input = make_host_tensor({33, 48}, DataFormat::Float16_b);
    std::uint32_t word = 1;
    for (std::uint16_t& value : input.as<std::uint16_t>()) {
        word = word * 1664525 + 1013904223;
        value = static_cast<std::uint16_t>((word >> 16U & 0x83FFU) | 0x3C00U);
    }
    const to_block_format::BlockFormatSpec spec{.format = GetParam(), .grid = {}, .cb_depth = 2};

    const auto run =
        run_op(to_block_format::op(), spec, {{input, Layout::TILE}}, testing::test_arch());

    EXPECT_EQ(values_of<float>(run.outputs[0]), values_of<float>(run.references[0]));
}

INSTANTIATE_TEST_SUITE_P(Both, BlockFormats,
                         ::testing::Values(to_block_format::BlockFormat::Bfp8,
                                           to_block_format::BlockFormat::Bfp4));

}  // namespace
}  // namespace tessera::ops
