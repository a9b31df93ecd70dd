// SPDX-License-Identifier: Apache-2.0
#include "ops/kv_cache_append/kv_cache_append.hpp"

#include <gmock/gmock.h>

#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops::kv_cache_append {
namespace {

using testing::call_rows;
using testing::counted;
using ::testing::ElementsAre;
using testing::HeldStep;
using testing::ints;
using testing::random_rows;
using testing::test_arch;
using testing::values_of;

AppendSpec spec_of(std::uint32_t page_size) {
    AppendSpec spec{.page_size = page_size};
    spec.cb_depth = 2;
    return spec;
}

/// Returns the cache after an append to a cache of zeros.
std::vector<std::int32_t> appended(const AppendSpec& spec, const Shape& cache,
                                   const std::vector<HostTensor>& others) {
    std::vector<HostTensor> inputs{others[0], make_host_tensor(cache, DataFormat::Int32)};
    inputs.insert(inputs.end(), others.begin() + 1, others.end());
    return values_of<std::int32_t>(call_rows(op(), spec, inputs, 1));
}

// Two sequences, pages of two positions: sequence 0 has pages 2 and 0, sequence 1 pages 1 and 3.
TEST(KvCacheAppend, PutsRowsWhereThePageTableSays) {
    EXPECT_THAT(appended(spec_of(2), {8, 1},
                         {ints({4, 1}, {10, 11, 20, 21}), ints({2, 2}, {2, 0, 1, 3}),
                          ints({4}, {1, 2, 0, 3})}),
                ElementsAre(11, 0, 20, 0, 0, 10, 0, 21));
}

// Rows of 4 and of 32 bytes: addresses with and without L1 alignment.
TEST(KvCacheAppend, PutsRowsIntoPagesThatAreRowsOfTheTensor) {
    for (const std::uint32_t columns : {1U, 8U}) {
        const std::vector<HostTensor> others{counted({4, columns}), ints({2, 2}, {2, 0, 1, 3}),
                                             ints({4}, {1, 2, 0, 3})};

        EXPECT_EQ(appended(spec_of(2), {4, 2 * columns}, others),
                  appended(spec_of(2), {8, columns}, others));
    }
}

TEST(KvCacheAppend, SkipsATokenWithoutAPosition) {
    EXPECT_THAT(appended(spec_of(2), {2, 1},
                         {ints({2, 1}, {10, 11}), ints({1, 1}, {0}), ints({2}, {-1, 0})}),
                ElementsAre(11, 0));
}

TEST(KvCacheAppend, PutsASecondPartBehindTheFirst) {
    EXPECT_THAT(
        appended(spec_of(2), {2, 3},
                 {ints({1, 2}, {1, 2}), ints({1, 1}, {0}), ints({1}, {1}), ints({1, 1}, {3})}),
        ElementsAre(0, 0, 0, 1, 2, 3));
}

// Ragged: three tokens of sequence 1, none of sequence 0.
TEST(KvCacheAppend, TakesRaggedSequencesByTheirList) {
    EXPECT_THAT(appended(spec_of(4), {8, 2},
                         {ints({3, 1}, {7, 8, 9}), ints({2, 1}, {0, 1}), ints({3}, {0, 1, 2}),
                          ints({3, 1}, {1, 1, 1}), ints({3}, {1, 1, 1})}),
                ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 7, 1, 8, 1, 9, 1, 0, 0));
}

std::string refusal(const HostTensor& table, const HostTensor& positions) {
    const AppendSpec spec = spec_of(4);
    const HeldStep step(&spec, {{random_rows({2, 8})},
                                {make_host_tensor({8, 8}, DataFormat::Float16_b)},
                                {table},
                                {positions}});
    return usage_error_message([&] { op().check_values(step.at()); });
}

TEST(KvCacheAppend, NamesAPageOutsideOfTheCache) {
    EXPECT_EQ(refusal(ints({1, 2}, {1, 2}), ints({2}, {0, 1})),
              "kv_cache_append: page_table(0,1) is 2; the cache has pages 0 to 1; allowed: these, "
              "or -1 for none");
}

TEST(KvCacheAppend, NamesAPositionBehindThePagesOfItsSequence) {
    EXPECT_EQ(refusal(ints({2, 1}, {1, 0}), ints({2}, {3, 4})),
              "kv_cache_append: positions[1] is 4; the 1 pages of a sequence hold 0 to 3; allowed: "
              "these, or -1 for none");
}

TEST(KvCacheAppend, NamesACacheOfOtherRows) {
    const auto rows = [](Shape shape, DataFormat format) {
        return DeviceTensor{{std::move(shape), format, Layout::ROW_MAJOR}, {}};
    };
    const DeviceTensor tokens = rows({2, 8}, DataFormat::Float16_b);
    const DeviceTensor cache = rows({8, 24}, DataFormat::Float16_b);
    const DeviceTensor table = rows({1, 2}, DataFormat::Int32);
    const DeviceTensor positions = rows({2}, DataFormat::Int32);
    const DeviceTensor* const in[]{&tokens, &cache, &table, &positions};
    const DeviceTensor* const out[]{&cache};
    const AppendSpec spec = spec_of(4);

    EXPECT_EQ(usage_error_message([&] { check_call(op(), test_arch(), &spec, in, out); }),
              "kv_cache_append: cache has rows of 24 elements; allowed: 8 of a position, or 32 of "
              "a page");
}

}  // namespace
}  // namespace tessera::ops::kv_cache_append
