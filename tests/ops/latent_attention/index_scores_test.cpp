// SPDX-License-Identifier: Apache-2.0
#include "ops/index_scores/index_scores.hpp"

#include <gmock/gmock.h>

#include "ops/top_k/top_k.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/golden_compare.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops::index_scores {
namespace {

using golden::GoldenFile;
using testing::counted;
using testing::golden_tensor;
using testing::ints;
using testing::keeps_its_tolerance;
using testing::keeps_to;
using testing::OpInput;
using testing::OpRun;
using testing::random_rows;
using testing::run_op;
using testing::test_arch;

HostTensor reshaped(HostTensor tensor, Shape shape) {
    tensor.shape = std::move(shape);
    return tensor;
}

/// Scores codes and scales of the golden file, with all positions visible.
OpRun score_golden(const GoldenFile& file, const std::string& layout, const Shape& keys = {24, 128},
                   const Shape& scales = {24, 1}) {
    const IndexScoresSpec spec{.factor = 1.0 / 32, .page_size = 24, .key_tiles = 8};
    const HostTensor weights = golden_tensor(file, "weights");
    // The file multiplies the weights by the factor, a power of two, after rounding.
    HostTensor rounded = make_host_tensor(weights.shape, DataFormat::Float16_b);
    for (std::size_t i = 0; i < rounded.as<std::uint16_t>().size(); ++i) {
        rounded.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(
            std::bit_cast<std::uint32_t>(weights.as<float>()[i] * 32) >> 16U);
    }
    return run_op(op(), spec,
                  {{golden_tensor(file, layout + ".q_fp8")},
                   {rounded},
                   {reshaped(golden_tensor(file, layout + ".k_fp8"), keys)},
                   {ints({1, 1}, {0})},
                   {ints({24}, std::vector<std::int32_t>(24, 23))},
                   {reshaped(golden_tensor(file, layout + ".q_scale"), {24, 8, 1})},
                   {reshaped(golden_tensor(file, layout + ".k_scale"), scales)}},
                  test_arch());
}

class GoldenScores : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenScores, AreThoseOfTheFileAndChooseItsPositions) {
    const GoldenFile file("indexer_small");

    const OpRun run = score_golden(file, GetParam());

    EXPECT_TRUE(keeps_to(file, GetParam() + ".index_score", run.outputs[0]));
    const auto chosen = run_op(top_k::op(), top_k::TopKSpec{.k = 8},
                               {{run.outputs[0]}, {counted({24})}}, test_arch());
    EXPECT_EQ(chosen.outputs[0].bytes, golden_tensor(file, GetParam() + ".topk_indices").bytes);
}

TEST_P(GoldenScores, AreThoseOfTheFileWhereTheCacheHasPages) {
    const GoldenFile file("indexer_small");

    const OpRun run = score_golden(file, GetParam(), {1, 24 * 128}, {1, 24});

    EXPECT_TRUE(keeps_to(file, GetParam() + ".index_score", run.outputs[0]));
}

INSTANTIATE_TEST_SUITE_P(Layouts, GoldenScores, ::testing::Values("half", "interleaved"),
                         [](const auto& layout) { return layout.param; });

struct Call {
    std::uint32_t heads;
    std::uint32_t elements;
    std::vector<std::int32_t> positions;  ///< one token per sequence
    std::uint32_t page_size = 16;
    std::uint32_t key_tiles = 2;
};

class ScoreCalls : public ::testing::TestWithParam<Call> {};

TEST_P(ScoreCalls, AreThoseOfTheReference) {
    const Call& call = GetParam();
    const auto tokens = static_cast<std::uint32_t>(call.positions.size());
    constexpr std::uint32_t kPages = 9;
    std::vector<std::int32_t> table(std::size_t{tokens} * kPages);
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<std::int32_t>(table.size() - 1 - i);
    }
    const IndexScoresSpec spec{
        .factor = 0.25, .page_size = call.page_size, .key_tiles = call.key_tiles};

    const auto run = run_op(op(), spec,
                            {{random_rows({tokens, call.heads, call.elements}, 1)},
                             {random_rows({tokens, call.heads}, 2)},
                             {random_rows({tokens * kPages * call.page_size, call.elements}, 3)},
                             {ints({tokens, kPages}, table)},
                             {ints({tokens}, call.positions)}},
                            test_arch());

    // Both are −∞ for keys that are not visible, for which no error is defined.
    const auto scores = testing::values_of<float>(run.outputs[0]);
    const auto wanted = testing::values_of<float>(run.references[0]);
    const std::size_t width = std::size_t{kPages} * call.page_size;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (static_cast<std::int64_t>(i % width) > call.positions[i / width]) {
            EXPECT_EQ(scores[i], -std::numeric_limits<float>::infinity()) << i;
        } else {
            EXPECT_NEAR(scores[i], wanted[i], 3e-5 + std::abs(wanted[i]) * 1e-5) << i;
        }
    }
}

// One head; more heads than a tile; one key; keys around the edges of tiles.
INSTANTIATE_TEST_SUITE_P(Edges, ScoreCalls,
                         ::testing::Values(Call{1, 32, {0}}, Call{3, 64, {30, 31, 32, 143}},
                                           Call{33, 128, {64, 5}}, Call{70, 32, {40}, 7, 1}));

TEST(IndexScores, NamesScalesThatBf16DoesNotHave) {
    const auto rows = [](Shape shape, DataFormat format) {
        return DeviceTensor{{std::move(shape), format, Layout::ROW_MAJOR}, {}};
    };
    const DeviceTensor q = rows({2, 3, 32}, DataFormat::Fp8_e4m3);
    const DeviceTensor weights = rows({2, 3}, DataFormat::Float16_b);
    const DeviceTensor cache = rows({64, 32}, DataFormat::Fp8_e4m3);
    const DeviceTensor table = rows({2, 1}, DataFormat::Int32);
    const DeviceTensor positions = rows({2}, DataFormat::Int32);
    const DeviceTensor scores = rows({2, 32}, DataFormat::Float32);
    const DeviceTensor* const in[]{&q, &weights, &cache, &table, &positions};
    const DeviceTensor* const out[]{&scores};
    const IndexScoresSpec spec;

    EXPECT_EQ(usage_error_message([&] { check_call(op(), test_arch(), &spec, in, out); }),
              "index_scores: q is fp8_e4m3; q_scale and cache_scale are required");
}

}  // namespace
}  // namespace tessera::ops::index_scores
