// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode/attention_decode.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops::attention_decode {
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

struct Call {
    std::uint32_t heads = 3;
    std::vector<std::int32_t> positions{4, 31, 32};  ///< one token per sequence
    std::uint32_t latent = 32;
    std::uint32_t rope = 8;
    std::uint32_t page_size = 16;
    std::uint32_t block = 4;
    std::uint32_t split = 1;
};

std::vector<OpInput> inputs_of(const Call& call) {
    const auto tokens = static_cast<std::uint32_t>(call.positions.size());
    const auto longest = static_cast<std::uint32_t>(
        std::max(0, *std::max_element(call.positions.begin(), call.positions.end())));
    const std::uint32_t pages = longest / call.page_size + 1;
    std::vector<std::int32_t> table(tokens * std::size_t{pages});
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<std::int32_t>(table.size() - 1 - i);
    }
    return {{random_rows({tokens, call.heads, call.latent}, 1)},
            {random_rows({tokens, call.heads, call.rope}, 2)},
            {random_rows({tokens * pages * call.page_size, call.latent + call.rope}, 3)},
            {ints({tokens, pages}, table)},
            {ints({tokens}, call.positions)}};
}

DecodeSpec spec_of(const Call& call) {
    return {.scale = 0.3, .page_size = call.page_size, .block = call.block, .split = call.split};
}

OpRun attend(const Call& call, const SessionOptions& options = {.threads = 1}) {
    return run_op(op(), spec_of(call), inputs_of(call), test_arch(), options);
}

class DecodeCalls : public ::testing::TestWithParam<Call> {};

TEST_P(DecodeCalls, AreThoseOfTheReference) {
    EXPECT_TRUE(keeps_its_tolerance(op(), attend(GetParam())));
}

// One token and one head; keys around the edges of tiles and blocks; ragged sequences; more heads
// than tile rows; pages of one position, and pages that are not a multiple of a tile; latents that
// end within a tile, at and between addresses that DRAM reads can reach.
INSTANTIATE_TEST_SUITE_P(
    Edges, DecodeCalls,
    ::testing::Values(Call{.heads = 1, .positions = {0}}, Call{.heads = 1, .positions = {1}},
                      Call{.positions = {30, 31, 32}}, Call{.positions = {127, 128, 129, 0}},
                      Call{.heads = 32, .positions = {5, 300}},
                      Call{.heads = 33, .positions = {64}, .page_size = 7},
                      Call{.positions = {40}, .page_size = 1, .block = 1},
                      Call{.positions = {100}, .latent = 64, .rope = 40, .block = 3},
                      Call{.positions = {70, 5}, .latent = 48, .rope = 32},
                      Call{.heads = 33, .positions = {64}, .latent = 33, .rope = 24},
                      Call{.positions = {9, 127}, .latent = 1, .rope = 8}));

class DecodeSplits : public ::testing::TestWithParam<std::uint32_t> {};

// Includes sequences with fewer blocks than cores.
TEST_P(DecodeSplits, AreMergedToTheSameResult) {
    const Call call{.positions = {3, 70, 200}, .block = 1, .split = GetParam()};

    EXPECT_TRUE(keeps_its_tolerance(op(), attend(call)));
}

INSTANTIATE_TEST_SUITE_P(Cores, DecodeSplits, ::testing::Values(0, 2, 3, 8));

TEST(AttentionDecode, GivesTheSameBytesAtTwoThreadsAndUnderEveryDelivery) {
    const Call call{.positions = {3, 70, 200}, .block = 1, .split = 3};
    const auto bytes = attend(call).outputs[0].bytes;

    for (const NocDelivery delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        EXPECT_EQ(attend(call, {.threads = 2, .delivery = delivery}).outputs[0].bytes, bytes);
    }
}

/// Returns the result of a single token at position 9 with these chosen positions.
OpRun attend_chosen(const std::vector<std::int32_t>& chosen) {
    const Call call{.heads = 2, .positions = {9}};
    std::vector<OpInput> inputs = inputs_of(call);
    inputs.push_back({ints({1, static_cast<std::uint32_t>(chosen.size())}, chosen)});
    return run_op(op(), spec_of(call), inputs, test_arch());
}

TEST(AttentionDecode, ReadsTheChosenPositionsOnly) {
    EXPECT_TRUE(keeps_its_tolerance(op(), attend_chosen({7, 2, 0, 9, 4})));
}

TEST(AttentionDecode, LeavesOutEntriesOfNobodyAndOfLaterPositions) {
    EXPECT_EQ(attend_chosen({7, -1, 2, 12, 4}).outputs[0].bytes,
              attend_chosen({7, 2, 4}).outputs[0].bytes);
}

// A single key has the whole weight.
TEST(AttentionDecode, OfOneKeyIsItsLatent) {
    const Call call{.heads = 2, .positions = {9}};

    const auto run = attend_chosen({4});

    const auto cache = floats_of(inputs_of(call)[2].values);
    const auto values = floats_of(run.outputs[0]);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(values[i], cache[4 * 40 + i % 32], std::abs(values[i]) / 128) << i;
    }
}

TEST(AttentionDecode, OfNoKeyIsZero) {
    EXPECT_THAT(floats_of(attend_chosen({-1, -1}).outputs[0]), ::testing::Each(0.0F));
}

TEST(AttentionDecode, NamesAPositionBehindTheCache) {
    const Call call{.positions = {31}};
    const DecodeSpec spec = spec_of(call);
    std::vector<std::vector<HostTensor>> held;
    for (const OpInput& input : inputs_of(call)) {
        held.push_back({input.values});
    }
    held[4] = {ints({1}, {32})};

    EXPECT_EQ(usage_error_message([&] { op().check_values(HeldStep(&spec, held).at()); }),
              "attention_decode: positions[0] is 32; the 2 pages of a sequence hold 0 to 31; "
              "allowed: these, or -1 for none");
}

/// Returns the message about a cache for latents of 32 elements, rotated parts of 8 and pages of 16
/// positions.
std::string refusal_of_cache(const Shape& shape) {
    const auto rows = [](Shape of, DataFormat format) {
        return DeviceTensor{{std::move(of), format, Layout::ROW_MAJOR}, {}};
    };
    const DeviceTensor latent = rows({2, 3, 32}, DataFormat::Float16_b);
    const DeviceTensor rope = rows({2, 3, 8}, DataFormat::Float16_b);
    const DeviceTensor cache = rows(shape, DataFormat::Float16_b);
    const DeviceTensor table = rows({2, 1}, DataFormat::Int32);
    const DeviceTensor positions = rows({2}, DataFormat::Int32);
    const DeviceTensor* const in[]{&latent, &rope, &cache, &table, &positions};
    const DeviceTensor* const out[]{&latent};
    const DecodeSpec spec = spec_of({});
    return usage_error_message([&] { check_call(op(), test_arch(), &spec, in, out); });
}

TEST(AttentionDecode, NamesACacheOfOtherRows) {
    EXPECT_EQ(refusal_of_cache({64, 48}),
              "attention_decode: cache has rows of 48 elements; allowed: 40 of a position, or 640 "
              "of a page");
}

/// Returns the same cache with pages as rows of the tensor.
std::vector<OpInput> in_pages(const Call& call) {
    std::vector<OpInput> inputs = inputs_of(call);
    Shape& cache = inputs[2].values.shape;
    cache = {cache[0] / call.page_size, call.page_size * cache[1]};
    return inputs;
}

class DecodePages : public ::testing::TestWithParam<Call> {};

TEST_P(DecodePages, GiveTheBytesOfPositionsAsRows) {
    const Call& call = GetParam();

    const auto run = run_op(op(), spec_of(call), in_pages(call), test_arch());

    EXPECT_EQ(run.outputs[0].bytes, attend(call).outputs[0].bytes);
}

// Positions of whole tiles, which are read together, and others; key tiles across pages; positions
// of 80 bytes, while DRAM is read at multiples of 32.
INSTANTIATE_TEST_SUITE_P(
    Edges, DecodePages,
    ::testing::Values(Call{.positions = {100, 31}, .latent = 64, .rope = 32},
                      Call{.positions = {100}, .latent = 64, .rope = 32, .page_size = 7},
                      Call{.positions = {70, 5}, .latent = 64, .rope = 16},
                      Call{.positions = {70}, .latent = 32, .rope = 32, .page_size = 64},
                      Call{.positions = {70, 5}}, Call{.positions = {40}, .page_size = 7},
                      Call{.positions = {70, 5}, .latent = 40, .rope = 24}));

}  // namespace
}  // namespace tessera::ops::attention_decode
