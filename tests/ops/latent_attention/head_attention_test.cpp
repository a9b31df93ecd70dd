// SPDX-License-Identifier: Apache-2.0
// attention_decode and attention_prefill with key and value heads that groups of queries share.
#include <gmock/gmock.h>

#include <cmath>

#include "ops/attention_decode/attention_decode.hpp"
#include "ops/attention_prefill/attention_prefill.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops {
namespace {

using testing::floats_of;
using testing::HeldStep;
using testing::ints;
using testing::keeps_its_tolerance;
using testing::OpInput;
using testing::OpRun;
using testing::random_rows;
using testing::run_op;
using testing::test_arch;

enum class Rows : std::uint8_t { Heads, Positions, Pages };

struct Call {
    std::uint32_t heads = 4;
    std::uint32_t kv_heads = 2;
    std::uint32_t dim = 32;
    std::uint32_t value = 32;
    std::uint32_t page_size = 16;
    std::uint32_t window = 0;
    bool has_sinks = false;
    Rows rows = Rows::Heads;
    std::vector<std::int32_t> contexts{4, 31};  ///< decode: position of the only token
    std::vector<std::int32_t> queries{};        ///< prefill: tokens of each sequence
    std::uint32_t block = 4;
    std::uint32_t split = 1;
    std::uint32_t strips = 0;

    [[nodiscard]] std::uint32_t sequences() const {
        return static_cast<std::uint32_t>(contexts.size());
    }
    [[nodiscard]] std::uint32_t pages() const {
        std::int32_t most = 1;
        for (std::size_t s = 0; s < contexts.size(); ++s) {
            most = std::max(most, contexts[s] + (queries.empty() ? 1 : queries[s]));
        }
        return (static_cast<std::uint32_t>(most) + page_size - 1) / page_size;
    }
    [[nodiscard]] std::uint32_t tokens() const {
        return queries.empty()
                   ? sequences()
                   : static_cast<std::uint32_t>(std::accumulate(queries.begin(), queries.end(), 0));
    }
};

OpInput cache(const Call& call, std::uint32_t dim, std::uint64_t seed) {
    const std::uint32_t pages = call.sequences() * call.pages();
    switch (call.rows) {
        case Rows::Heads:
            return {random_rows({pages, call.page_size, call.kv_heads, dim}, seed)};
        case Rows::Positions:
            return {random_rows({pages * call.page_size, call.kv_heads * dim}, seed)};
        case Rows::Pages:
            break;
    }
    return {random_rows({pages, call.page_size * call.kv_heads * dim}, seed)};
}

/// Returns pages in descending order; pages that no query attends to are −1.
OpInput table(const Call& call) {
    std::vector<std::int32_t> entries(std::size_t{call.sequences()} * call.pages());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::size_t s = i / call.pages();
        const auto first = static_cast<std::int32_t>(i % call.pages() * call.page_size);
        const std::int32_t end = call.contexts[s] + (call.queries.empty() ? 1 : call.queries[s]);
        entries[i] = first < end ? static_cast<std::int32_t>(entries.size() - 1 - i) : -1;
    }
    return {ints({call.sequences(), call.pages()}, entries)};
}

OpInput sinks(const Call& call) {
    return call.has_sinks ? OpInput{random_rows({call.heads}, 9)} : OpInput{};
}

OpRun decode(const Call& call, const SessionOptions& options = {.threads = 1}) {
    const attention_decode::DecodeSpec spec{.scale = 0.3,
                                            .page_size = call.page_size,
                                            .block = call.block,
                                            .split = call.split,
                                            .kv_heads = call.kv_heads,
                                            .window = call.window};
    return run_op(attention_decode::op(), spec,
                  {{random_rows({call.tokens(), call.heads, call.dim}, 1)},
                   {},
                   cache(call, call.dim, 2),
                   table(call),
                   {ints({call.tokens()}, call.contexts)},
                   {},
                   {},
                   cache(call, call.value, 3),
                   sinks(call)},
                  test_arch(), options);
}

OpRun prefill(const Call& call, const SessionOptions& options = {.threads = 1}) {
    const attention_prefill::PrefillSpec spec{.scale = 0.3,
                                              .block = call.block,
                                              .page_size = call.page_size,
                                              .kv_heads = call.kv_heads,
                                              .window = call.window,
                                              .strips = call.strips};
    std::vector<std::int32_t> starts;
    for (std::size_t s = 0; s < call.queries.size(); ++s) {
        starts.push_back(s == 0 ? 0 : starts.back() + call.queries[s - 1]);
    }
    return run_op(attention_prefill::op(), spec,
                  {{random_rows({call.tokens(), call.heads, call.dim}, 1)},
                   {},
                   cache(call, call.dim, 2),
                   {},
                   {ints({call.sequences()}, starts)},
                   {ints({call.sequences()}, call.contexts)},
                   {},
                   cache(call, call.value, 3),
                   table(call),
                   sinks(call)},
                  test_arch(), options);
}

class HeadDecode : public ::testing::TestWithParam<Call> {};

TEST_P(HeadDecode, KeepsToTheReference) {
    EXPECT_TRUE(keeps_its_tolerance(attention_decode::op(), decode(GetParam())));
}

// Any ratio of heads; more heads per group than tile rows; head dimensions of one to eight tiles
// and of a partial tile; values of another dimension; windows within a tile and over several; cache
// rows of every kind; several cores per token.
INSTANTIATE_TEST_SUITE_P(
    Edges, HeadDecode,
    ::testing::Values(Call{}, Call{.heads = 1, .kv_heads = 1, .contexts = {0}},
                      Call{.heads = 6, .kv_heads = 3, .contexts = {127, 128, 5}},
                      Call{.heads = 40, .kv_heads = 1, .contexts = {70}},
                      Call{.heads = 8, .kv_heads = 8, .dim = 64, .value = 64, .contexts = {33, 0}},
                      Call{.dim = 96, .value = 192, .contexts = {40}},
                      Call{.dim = 256, .value = 256},
                      Call{.dim = 80, .value = 48, .contexts = {40}},
                      Call{.window = 1, .contexts = {0, 40}},
                      Call{.window = 20, .contexts = {10, 19, 20, 77}},
                      Call{.window = 128, .has_sinks = true, .contexts = {5, 127, 128, 300}},
                      Call{.has_sinks = true, .contexts = {70, 3}, .block = 1, .split = 3},
                      Call{.rows = Rows::Positions, .contexts = {70, 3}},
                      Call{.kv_heads = 1, .rows = Rows::Pages, .contexts = {70, 3}},
                      Call{.page_size = 64, .rows = Rows::Pages, .contexts = {70, 3}, .split = 0}));

class HeadPrefill : public ::testing::TestWithParam<Call> {};

TEST_P(HeadPrefill, KeepsToTheReference) {
    EXPECT_TRUE(keeps_its_tolerance(attention_prefill::op(), prefill(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(
    Edges, HeadPrefill,
    ::testing::Values(
        Call{.contexts = {0}, .queries = {1}}, Call{.contexts = {0}, .queries = {33}},
        Call{.contexts = {31, 0, 64}, .queries = {32, 0, 40}},
        Call{.heads = 6, .kv_heads = 1, .contexts = {5}, .queries = {40}, .strips = 3},
        Call{.heads = 8, .kv_heads = 2, .contexts = {70}, .queries = {24}, .block = 1, .strips = 4},
        Call{.dim = 80, .value = 48, .contexts = {40}, .queries = {20}, .strips = 2},
        Call{.dim = 256, .value = 256, .contexts = {0}, .queries = {40}},
        Call{.window = 1, .contexts = {9}, .queries = {40}},
        Call{.window = 20, .contexts = {0, 90}, .queries = {70, 33}, .block = 2, .strips = 2},
        Call{.window = 128, .has_sinks = true, .contexts = {0}, .queries = {150}, .strips = 2},
        Call{.has_sinks = true, .contexts = {33}, .queries = {65}},
        Call{
            .kv_heads = 1, .page_size = 64, .rows = Rows::Pages, .contexts = {50}, .queries = {40}},
        Call{.rows = Rows::Positions, .contexts = {50}, .queries = {40}}));

// With a window of one, a token attends only to itself.
TEST(HeadAttention, OfAWindowOfOneIsTheTokensOwnValue) {
    const Call call{.heads = 2, .kv_heads = 2, .window = 1, .contexts = {20}};

    const auto result = floats_of(decode(call).outputs[0]);

    // Position 20 is the fifth of page 1, which the table lists as page 0.
    const auto values = floats_of(cache(call, 32, 3).values);
    for (std::size_t i = 0; i < result.size(); ++i) {
        EXPECT_NEAR(result[i], values[4 * 64 + i], std::abs(result[i]) / 128) << i;
    }
}

// One key with the known score x has the weight e^x / (e^x + e^sink).
TEST(HeadAttention, OfOneKeyAndASinkIsTheWeightedValue) {
    const Call call{.heads = 1, .kv_heads = 1, .has_sinks = true, .contexts = {0}};
    const auto query = floats_of(random_rows({1, 1, 32}, 1));
    const auto key = floats_of(cache(call, 32, 2).values);
    const auto value = floats_of(cache(call, 32, 3).values);
    const double sink = floats_of(random_rows({1}, 9))[0];
    double score = 0;
    for (std::size_t i = 0; i < 32; ++i) {
        score += 0.3 * double{query[i]} * double{key[i]};
    }

    const auto result = floats_of(decode(call).outputs[0]);

    const double weight = 1 / (1 + std::exp(sink - score));
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_NEAR(result[i], weight * double{value[i]}, std::abs(value[i]) / 64) << i;
    }
}

TEST(HeadAttention, GivesTheSameBytesAtTwoThreadsAndUnderEveryDelivery) {
    const Call call{.window = 50,
                    .has_sinks = true,
                    .contexts = {70, 200},
                    .queries = {40, 33},
                    .block = 2,
                    .strips = 2};
    const auto bytes = prefill(call).outputs[0].bytes;

    for (const NocDelivery delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        EXPECT_EQ(prefill(call, {.threads = 2, .delivery = delivery}).outputs[0].bytes, bytes);
    }
}

/// Returns the refusal of a decode step of 4 heads of 32 elements, with tensors of these shapes.
std::string refusal(attention_decode::DecodeSpec spec, const Shape& keys, const Shape& values) {
    spec.scale = 1;
    spec.block = 4;
    const auto rows = [](Shape of, DataFormat format) {
        return DeviceTensor{{std::move(of), format, Layout::ROW_MAJOR}, {}};
    };
    const std::vector<TensorPlan> inputs{plan_of(rows({2, 4, 32}, DataFormat::Float16_b)),
                                         {},
                                         plan_of(rows(keys, DataFormat::Float16_b)),
                                         plan_of(rows({2, 1}, DataFormat::Int32)),
                                         plan_of(rows({2}, DataFormat::Int32)),
                                         {},
                                         {},
                                         plan_of(rows(values, DataFormat::Float16_b))};
    struct Texts final : RuleJudge {
        void require(bool holds, std::string_view blamed, const std::string& text) override {
            if (!holds) {
                all += (all.empty() ? "" : "; ") + std::string(blamed) + " " + text;
            }
        }
        std::string all;
    } texts;
    const MeshSpec mesh{.shape = {1, 1}, .topology = Topology::Line, .device = "test_arch"};
    const std::array<std::uint32_t, 1> devices{0};
    attention_decode::op().rules({.arch = test_arch(),
                                  .mesh = mesh,
                                  .devices = devices,
                                  .parameters = &spec,
                                  .inputs = inputs},
                                 texts);
    return texts.all;
}

TEST(HeadAttention, NamesHeadsOfKeysThatDoNotDivideThoseOfQueries) {
    EXPECT_EQ(refusal({.page_size = 16, .kv_heads = 3}, {2, 16, 3, 32}, {2, 16, 3, 32}),
              "kv_heads is 3; allowed: a divisor of the 4 heads of queries");
}

TEST(HeadAttention, NamesValuesOfOtherPositionsThanKeys) {
    EXPECT_EQ(
        refusal({.page_size = 16, .kv_heads = 2}, {3, 16, 2, 32}, {2, 16, 2, 32}),
        "values has rows of 32 elements; allowed: 21 of a head, 42 of a position, or 672 of a "
        "page; values has 2048 elements; allowed: as many heads as cache has, which are 96");
}

TEST(HeadAttention, NamesACacheOfOtherRows) {
    EXPECT_EQ(refusal({.page_size = 16, .kv_heads = 2}, {2, 16, 48}, {2, 16, 48}),
              "cache has rows of 48 elements; allowed: 32 of a head, 64 of a position, or 1024 of "
              "a page; values has rows of 48 elements; allowed: 32 of a head, 64 of a position, or "
              "1024 of a page");
}

}  // namespace
}  // namespace tessera::ops
