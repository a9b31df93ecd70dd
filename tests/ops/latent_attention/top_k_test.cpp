// SPDX-License-Identifier: Apache-2.0
#include "ops/top_k/top_k.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops::top_k {
namespace {

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

TEST(TopK, OrdersInfinitiesAndPutsNanLast) {
    EXPECT_THAT(selected({NAN, -kInfinity, 3, kInfinity}, 4), ElementsAre(3, 2, 1, 0));
}

struct Rows {
    std::uint32_t rows, columns, k;
};

class Selections : public ::testing::TestWithParam<Rows> {};

// Numbers of bfloat16: many are equal.
TEST_P(Selections, AreThoseOfAStableSort) {
    const auto& [rows, columns, k] = GetParam();
    const HostTensor scores =
        host_tensor({rows, columns}, DataFormat::Float32, floats_of(random_rows({rows, columns})));
    std::vector<std::int32_t> positions;
    for (std::uint32_t row = 0; row < rows; ++row) {
        positions.push_back(static_cast<std::int32_t>((row * 37) % (columns + 3)));
    }

    const auto run =
        run_op(op(), TopKSpec{.k = k}, {{scores}, {ints({rows}, positions)}}, test_arch());

    EXPECT_TRUE(has_reference_bytes(run));
}

INSTANTIATE_TEST_SUITE_P(Edges, Selections,
                         ::testing::Values(Rows{1, 1, 1}, Rows{3, 31, 32}, Rows{33, 100, 7},
                                           Rows{2, 5000, 2048}, Rows{70, 64, 64}));

}  // namespace
}  // namespace tessera::ops::top_k
