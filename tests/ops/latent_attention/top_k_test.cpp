// SPDX-License-Identifier: Apache-2.0
#include "ops/top_k/top_k.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops::top_k {
namespace {

using testing::all_sessions;
using ::testing::ElementsAre;
using testing::floats_of;
using testing::has_reference_bytes;
using testing::host_tensor;
using testing::ints;
using testing::OpInput;
using testing::random_rows;
using testing::run_op;
using testing::test_arch;
using testing::values_of;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::int32_t> selected(const std::vector<float>& scores, std::uint32_t k,
                                   const std::vector<std::int32_t>& position = {}) {
    const auto columns = static_cast<std::uint32_t>(scores.size());
    std::vector<OpInput> inputs{{host_tensor({1, columns}, DataFormat::Float32, scores)}};
    if (!position.empty()) {
        inputs.push_back({ints({1}, position)});
    }
    return values_of<std::int32_t>(run_op(op(), TopKSpec{.k = k}, inputs, test_arch()).outputs[0]);
}

TEST(TopK, GivesColumnsInDescendingOrder) {
    EXPECT_THAT(selected({1, -3, 7, 0.5F, 2}, 3), ElementsAre(2, 4, 0));
}

TEST(TopK, GivesTheLowerOfEqualColumnsFirst) {
    EXPECT_THAT(selected({1, 2, 1, 2, 2, 0}, 2), ElementsAre(1, 3));
    EXPECT_THAT(selected({0, -0.0F, 0}, 3), ElementsAre(0, 1, 2));
}

TEST(TopK, NeverReturnsAColumnBehindThePosition) {
    EXPECT_THAT(selected({1, 2, 9, 8}, 2, {1}), ElementsAre(1, 0));
}

TEST(TopK, FillsUpWhereFewerColumnsAreSeen) {
    EXPECT_THAT(selected({1, 2, 9, 8}, 4, {1}), ElementsAre(1, 0, -1, -1));
    EXPECT_THAT(selected({5, 6}, 3), ElementsAre(1, 0, -1));
    EXPECT_THAT(selected({5}, 2, {-1}), ElementsAre(-1, -1));
}

TEST(TopK, OrdersInfinityAndPutsNanLast) {
    EXPECT_THAT(selected({NAN, -5, 3, kInfinity}, 4), ElementsAre(3, 2, 1, 0));
}

TEST(TopK, NeverReturnsAMaskedColumn) {
    EXPECT_THAT(selected({-kInfinity, 3, -kInfinity, NAN, 4}, 5), ElementsAre(4, 1, 3, -1, -1));
    EXPECT_THAT(selected({-kInfinity, -kInfinity}, 2), ElementsAre(-1, -1));
}

// By whole rows that are sorted, by a threshold, and by lists of several processors.
TEST(TopK, FillsUpARowOfWhichMostIsMasked) {
    for (const auto& [columns, split] : {std::pair{640U, 1U}, {3000U, 1U}, {3000U, 8U}}) {
        std::vector<float> scores(columns, -kInfinity);
        scores[17] = 1;
        scores[columns - 1] = 2;
        const HostTensor row = host_tensor({1, columns}, DataFormat::Float32, scores);
        const auto run = run_op(op(), TopKSpec{.k = 5, .split = split}, {{row}}, test_arch());

        EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]),
                    ElementsAre(static_cast<std::int32_t>(columns - 1), 17, -1, -1, -1));
    }
}

constexpr std::uint32_t kLongRow = 4000;

struct Rows {
    std::uint32_t rows, columns, k;
    std::uint32_t split = 0;
};

class Selections : public ::testing::TestWithParam<Rows> {
protected:
    // Numbers of bfloat16: many are equal.
    [[nodiscard]] static std::vector<OpInput> inputs() {
        const auto& [rows, columns, k, split] = GetParam();
        std::vector<std::int32_t> positions;
        for (std::uint32_t row = 0; row < rows; ++row) {
            // Short rows see from none to all of their columns, long ones nearly all.
            const std::uint32_t few = (row * 37) % (columns + 3);
            positions.push_back(
                static_cast<std::int32_t>(columns < kLongRow ? few : columns - 1 - row * 37));
        }
        return {{host_tensor({rows, columns}, DataFormat::Float32,
                             floats_of(random_rows({rows, columns})))},
                {ints({rows}, positions)}};
    }
    [[nodiscard]] static TopKSpec spec() { return {.k = GetParam().k, .split = GetParam().split}; }
};

TEST_P(Selections, AreThoseOfAStableSort) {
    for (const SessionOptions& options : all_sessions()) {
        EXPECT_TRUE(has_reference_bytes(run_op(op(), spec(), inputs(), test_arch(), options)));
    }
}

// Whole rows on one processor of a core and on both; rows that several share, in one round and in
// several, with parts of no column.
INSTANTIATE_TEST_SUITE_P(Edges, Selections,
                         ::testing::Values(Rows{1, 1, 1}, Rows{3, 31, 32}, Rows{33, 100, 7},
                                           Rows{70, 64, 64}, Rows{70, 96, 5, 1},
                                           Rows{2, 3000, 2048}, Rows{2, 1100, 30, 1},
                                           Rows{70, 1100, 2000, 1}, Rows{40, 200, 40, 16},
                                           Rows{3, 70, 64, 32}, Rows{5, 500, 1, 2}));

// Processors that share a row count its columns before they sort from 1024 columns of each on.
INSTANTIATE_TEST_SUITE_P(LongRows, Selections,
                         ::testing::Values(Rows{2, 4096, 512, 2}, Rows{9, 32800, 100, 32},
                                           Rows{1, 40000, 2048}, Rows{2, 16384, 4000, 16}));

TEST(TopK, GivesTheLowerOfEqualColumnsFirstAcrossProcessors) {
    std::vector<float> scores(640, 1);
    scores[630] = 2;
    std::vector<std::int32_t> expected{630};
    for (std::int32_t column = 0; column < 99; ++column) {
        expected.push_back(column);
    }

    const HostTensor rows = host_tensor({1, 640}, DataFormat::Float32, scores);
    const auto run = run_op(op(), TopKSpec{.k = 100, .split = 8}, {{rows}}, test_arch());

    EXPECT_EQ(values_of<std::int32_t>(run.outputs[0]), expected);
}

TEST(TopK, GivesTheLowerOfEqualColumnsFirstOfALongRow) {
    std::vector<float> scores(20000, -3);
    scores[19999] = 2;
    for (std::uint32_t column = 0; column < 20000; column += 2) {
        scores[column] = -std::numeric_limits<float>::infinity();
    }
    std::vector<std::int32_t> expected{19999};
    for (std::int32_t column = 1; column < 19; column += 2) {
        expected.push_back(column);
    }

    const HostTensor rows = host_tensor({1, 20000}, DataFormat::Float32, scores);
    const auto run = run_op(op(), TopKSpec{.k = 10, .split = 16}, {{rows}}, test_arch());

    EXPECT_EQ(values_of<std::int32_t>(run.outputs[0]), expected);
}

TEST(TopK, RefusesASplitThatIsNoPowerOfTwo) {
    const DeviceTensor scores{{{2, 64}, DataFormat::Float32, Layout::ROW_MAJOR}, {}};
    const DeviceTensor indices{{{2, 8}, DataFormat::Int32, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&scores};
    const DeviceTensor* const out[]{&indices};
    const TopKSpec spec{.k = 8, .split = 6};

    EXPECT_EQ(usage_error_message([&] { check_call(op(), test_arch(), &spec, in, out); }),
              "top_k: split is 6; allowed: 0, or a power of two, at most 32 of the grid's 128 "
              "processors");
}

}  // namespace
}  // namespace tessera::ops::top_k
