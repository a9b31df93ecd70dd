// SPDX-License-Identifier: Apache-2.0
// Products whose readers are next to their DRAM bank or read from all banks, against their
// references, in memory filled with NaN.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "ops/grouped_mm/grouped_mm.hpp"
#include "ops/linear/linear.hpp"
#include "ops/masked_mm/masked_mm.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/op_run.hpp"
#include "tests/ops/routing_workload.hpp"

namespace tessera::ops {
namespace {

using testing::host_tensor;
using testing::OpInput;
using testing::random_bf16_tensor;
using testing::run_op;
using testing::test_arch;

constexpr std::uint32_t kInner = 14 * 32;  // two banks of the twelve have two tiles of a column

template <class Spec>
Spec near_spec(std::uint32_t bank_cores) {
    Spec spec;
    spec.strip = kDefaultStrip;
    spec.k_block = spec.k_chunk = kDefaultKBlock;
    spec.cb_depth = kDefaultDepth;
    spec.weight_reads = WeightReads::NearBanks;
    spec.bank_cores = bank_cores;
    return spec;
}

/// Expects each element that the reference defines to be within one rounding of it, and each other
/// element to be unwritten. The reference is NaN in undefined rows.
void expect_product(const testing::OpRun& run) {
    const auto result = run.outputs[0].as<std::uint16_t>();
    const auto wanted = run.references[0].as<float>();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (std::isnan(wanted[i])) {
            ASSERT_EQ(result[i], 0xFFFF) << i;
            continue;
        }
        const float value = std::bit_cast<float>(std::uint32_t{result[i]} << 16U);
        ASSERT_NEAR(value, wanted[i], 0.005 * std::max(1.0F, std::fabs(wanted[i]))) << i;
    }
}

/// Runs under each delivery mode at 1, 2 and 5 threads, and expects the same bytes each time.
template <class Spec>
void expect_product_in_all_sessions(const Op& op, const Spec& spec,
                                    const std::vector<OpInput>& inputs) {
    std::vector<std::byte> first;
    for (const auto delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        for (const unsigned threads : {1U, 2U, 5U}) {
            const auto run = run_op(op, spec, inputs, test_arch(),
                                    {.threads = threads, .delivery = delivery, .seed = 5});
            expect_product(run);
            first = first.empty() ? run.outputs[0].bytes : first;
            EXPECT_EQ(run.outputs[0].bytes, first);
        }
    }
}

/// A list of `blocks` blocks of 4 with one choice each, which is the block's number. Blocks 0, 3,
/// 6, … are those of other devices' experts; the others have experts 0 and 1 in turn.
std::vector<OpInput> list_of_blocks(std::int32_t blocks) {
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> experts;
    for (std::int32_t block = 0; block < blocks; ++block) {
        ids.insert(ids.end(), {block, blocks, blocks, blocks});
        experts.push_back(block % 3 == 0 ? -1 : block % 2);
    }
    const auto count = static_cast<std::uint32_t>(blocks);
    return {{host_tensor({4 * count}, DataFormat::Int32, ids)},
            {host_tensor({count}, DataFormat::Int32, experts)},
            {host_tensor<std::int32_t>({1}, DataFormat::Int32, {4 * blocks})}};
}

std::vector<OpInput> grouped_inputs(std::int32_t blocks, std::uint32_t columns) {
    const auto count = static_cast<std::uint32_t>(blocks);
    std::vector<OpInput> inputs{{random_bf16_tensor({count, kInner}, 1)},
                                {random_bf16_tensor({2, columns, kInner}, 2), Layout::TILE}};
    const std::vector<OpInput> list = list_of_blocks(blocks);
    inputs.insert(inputs.end(), list.begin(), list.end());
    return inputs;
}

TEST(NearBanks, MultiplyTheRowsOfAListAndWriteZerosForOtherDevicesExperts) {
    auto spec = near_spec<grouped_mm::GroupedSpec>(4);
    spec.block_size = 4;

    expect_product_in_all_sessions(grouped_mm::op(), spec, grouped_inputs(5, 250));
}

// 14 rows of tiles with a product, and 12 cores: two cores bring the rows of two of them. 430
// columns are two rounds of sums of the twelve members.
TEST(NearBanks, BringRowsInTurnAndSumInRounds) {
    auto spec = near_spec<grouped_mm::GroupedSpec>(1);
    spec.block_size = 4;

    expect_product_in_all_sessions(grouped_mm::op(), spec, grouped_inputs(21, 430));
}

TEST(NearBanks, WeighRows) {
    auto spec = near_spec<grouped_mm::GroupedSpec>(2);
    spec.block_size = 4;
    auto inputs = grouped_inputs(5, 96);
    inputs.push_back({host_tensor<float>({5, 1}, DataFormat::Float32, {9, 0.5F, 3, 0.25F, 2})});

    expect_product_in_all_sessions(grouped_mm::op(), spec, inputs);
}

TEST(NearBanks, MultiplyTheFirstRowsOfEachBatch) {
    expect_product_in_all_sessions(
        masked_mm::op(), near_spec<masked_mm::MaskedSpec>(3),
        {{random_bf16_tensor({3, 40, kInner}, 1)},
         {random_bf16_tensor({3, 130, kInner}, 2), Layout::TILE},
         {host_tensor<std::int32_t>({3}, DataFormat::Int32, {0, 40, 5})}});
}

TEST(NearBanks, MultiplyWithOneMatrix) {
    expect_product_in_all_sessions(linear::op(), near_spec<linear::LinearSpec>(4),
                                   {{random_bf16_tensor({37, kInner}, 1)},
                                    {random_bf16_tensor({200, kInner}, 2), Layout::TILE}});
}

/// The message of linear with near_banks for K of `inner`, with `change` of its parameters.
template <class Change>
std::string message_of(std::uint32_t inner, const Change& change) {
    const DeviceTensor rows{{{8, inner}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor weights{{{32, inner}, DataFormat::Float16_b, Layout::TILE}, {}};
    const DeviceTensor output{{{8, 32}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&rows, &weights};
    const DeviceTensor* const out[]{&output};
    auto spec = near_spec<linear::LinearSpec>(0);
    change(spec);
    return usage_error_message([&] { check_call(linear::op(), test_arch(), &spec, in, out); });
}

/// Blocks of 3 rows and one padded place. Adjacent blocks have the same expert, up to five of them;
/// some are those of other devices.
std::vector<OpInput> runs_of_blocks(std::uint32_t columns, std::uint32_t inner) {
    const std::vector<std::int32_t> experts{1, 1, 1, 1, 1, -1, 0, 0, 2, 2, 2, -1, -1, 1, 0, 0};
    const auto blocks = static_cast<std::uint32_t>(experts.size());
    std::vector<std::int32_t> ids;
    for (std::int32_t row = 0; row < static_cast<std::int32_t>(3 * blocks); row += 3) {
        ids.insert(ids.end(), {row, row + 1, static_cast<std::int32_t>(3 * blocks), row + 2});
    }
    return {{random_bf16_tensor({3 * blocks, inner}, 1)},
            {random_bf16_tensor({3, columns, inner}, 2), Layout::TILE},
            {host_tensor({4 * blocks}, DataFormat::Int32, ids)},
            {host_tensor({blocks}, DataFormat::Int32, experts)},
            {host_tensor<std::int32_t>({1}, DataFormat::Int32,
                                       {static_cast<std::int32_t>(4 * blocks)})}};
}

struct Sharing {
    const char* name;
    std::uint32_t inner_tiles;
    std::uint32_t tile_rows;
    WeightReads weight_reads = WeightReads::NearBanks;
    GridSize grid = {};
};

class WeightSharing : public ::testing::TestWithParam<Sharing> {
protected:
    [[nodiscard]] static grouped_mm::GroupedSpec spec(std::uint32_t bank_cores) {
        auto spec = near_spec<grouped_mm::GroupedSpec>(bank_cores);
        spec.block_size = 4;
        spec.tile_rows = GetParam().tile_rows;
        spec.weight_reads = GetParam().weight_reads;
        spec.grid = GetParam().grid;
        return spec;
    }
};

TEST_P(WeightSharing, GivesTheReferenceForRunsOfTileRows) {
    expect_product_in_all_sessions(grouped_mm::op(), spec(2),
                                   runs_of_blocks(250, GetParam().inner_tiles * 32));
}

TEST_P(WeightSharing, WeighsEachTileRowByItsOwnWeights) {
    auto inputs = runs_of_blocks(130, GetParam().inner_tiles * 32);
    std::vector<float> weights(num_rows(inputs[0].values.shape));
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = 0.25F * static_cast<float>(i % 7) - 0.5F;
    }
    inputs.push_back({host_tensor<float>({static_cast<std::uint32_t>(weights.size()), 1},
                                         DataFormat::Float32, weights)});

    expect_product_in_all_sessions(grouped_mm::op(), spec(1), inputs);
}

// With a K of 13 tiles a core multiplies all of them; with 24 it multiplies every twelfth, with 64
// every fourth, and two cores bring a tile row. With 113 the tiles of four tile rows do not fit; with
// reads from all banks those of 160 do not fit. Two and three cores have many units each.
INSTANTIATE_TEST_SUITE_P(
    Shapes, WeightSharing,
    ::testing::Values(Sharing{"OneOfThirteen", 13, 1}, Sharing{"TwoOfThirteen", 13, 2},
                      Sharing{"ThreeOfTwentyFour", 24, 3}, Sharing{"FourOfSixtyFour", 64, 4},
                      Sharing{"ChosenOfSixtyFour", 64, 0}, Sharing{"TwoWithoutRoomAhead", 113, 2},
                      Sharing{"OneFromAllBanks", 13, 1, WeightReads::AllBanks},
                      Sharing{"TwoFromAllBanks", 13, 2, WeightReads::AllBanks},
                      Sharing{"ThreeFromAllBanks", 24, 3, WeightReads::AllBanks},
                      Sharing{"FourFromAllBanks", 64, 4, WeightReads::AllBanks},
                      Sharing{"TwoOnTwoCores", 13, 2, WeightReads::AllBanks, {2, 1}},
                      Sharing{"FourOnThreeCores", 8, 4, WeightReads::AllBanks, {3, 1}},
                      Sharing{"SixFromAllBanks", 13, 6, WeightReads::AllBanks},
                      Sharing{"EightOnTwoCores", 13, 8, WeightReads::AllBanks, {2, 1}},
                      Sharing{"FourWithoutRoomFromAllBanks", 160, 4, WeightReads::AllBanks}),
    [](const auto& sharing) { return sharing.param.name; });

/// A block of 128 has the 40 rows of its expert: tile rows of the others have no rows.
TEST(WeightSharing, LeavesOutTileRowsWithoutRows) {
    grouped_mm::GroupedSpec spec = near_spec<grouped_mm::GroupedSpec>(0);
    spec.weight_reads = WeightReads::AllBanks;
    spec.block_size = 128;
    std::vector<std::int32_t> ids(256, 80);
    std::iota(ids.begin(), ids.begin() + 40, 0);
    std::iota(ids.begin() + 128, ids.begin() + 168, 40);
    const std::vector<OpInput> inputs{{random_bf16_tensor({80, kInner}, 1)},
                                      {random_bf16_tensor({2, 96, kInner}, 2), Layout::TILE},
                                      {host_tensor({256}, DataFormat::Int32, ids)},
                                      {host_tensor<std::int32_t>({2}, DataFormat::Int32, {1, 0})},
                                      {host_tensor<std::int32_t>({1}, DataFormat::Int32, {256})}};
    for (const std::uint32_t tile_rows : {2U, 3U, 4U, 8U}) {
        spec.tile_rows = tile_rows;

        expect_product_in_all_sessions(grouped_mm::op(), spec, inputs);
    }
}

class WeightsOfABatch : public ::testing::TestWithParam<WeightReads> {};

TEST_P(WeightsOfABatch, GiveTheSameBytesForOneTileRowAndForSeveral) {
    auto spec = near_spec<masked_mm::MaskedSpec>(2);
    spec.weight_reads = GetParam();
    const std::vector<OpInput> inputs{
        {random_bf16_tensor({3, 150, kInner}, 1)},
        {random_bf16_tensor({3, 130, kInner}, 2), Layout::TILE},
        {host_tensor<std::int32_t>({3}, DataFormat::Int32, {150, 33, 64})}};
    spec.tile_rows = 1;
    const auto expected = run_op(masked_mm::op(), spec, inputs, test_arch());
    spec.tile_rows = 0;

    const auto run = run_op(masked_mm::op(), spec, inputs, test_arch());

    expect_product(run);
    EXPECT_EQ(run.outputs[0].bytes, expected.outputs[0].bytes);
}

INSTANTIATE_TEST_SUITE_P(Reads, WeightsOfABatch,
                         ::testing::Values(WeightReads::NearBanks, WeightReads::AllBanks));

/// Schedule of masked products with space for 4096 rows of each of two experts.
std::string words_of(std::uint32_t inner, std::uint32_t expected_rows) {
    auto spec = near_spec<masked_mm::MaskedSpec>(0);
    spec.weight_reads = WeightReads::Auto;
    spec.expected_rows = expected_rows;
    const TensorPlan rows{{{2, 4096, inner}, DataFormat::Float16_b, Layout::ROW_MAJOR}};
    const TensorPlan weights{{{2, 1536, inner}, DataFormat::Float16_b, Layout::TILE}};
    return product_schedule_words(test_arch(), {rows, weights}, 8192, spec);
}

// The rows of both experts times 12 banks are at most 64 times as many as the 64 tiles of K.
TEST(NearBanks, AreChosenForAsManyRowsAsTheCallerExpects) {
    EXPECT_EQ(words_of(2048, 170), "near_banks");
    EXPECT_EQ(words_of(2048, 171), "multi_core");
    EXPECT_EQ(words_of(2048, 0), "multi_core");
}

// Three tile rows of 240 K tiles do not fit in L1, so that all cores would read weights as often.
TEST(NearBanks, AreChosenForManyLongRows) {
    EXPECT_EQ(words_of(7680, 4096), "near_banks");
}

TEST(NearBanks, RefuseShapesGridsAndCoresThatTheyCannotTake) {
    EXPECT_EQ(message_of(352, [](auto&) {}),
              "linear: weight_reads near_banks has rows of 352; allowed: whole tiles of 32, at "
              "least one for each of 12 banks; or set weight_reads to all_banks");
    EXPECT_EQ(message_of(kInner,
                         [](auto& spec) {
                             spec.grid = {8, 4};
                         }),
              "linear: weight_reads near_banks takes the whole grid; allowed: grid [0, 0]; "
              "or set weight_reads to all_banks");
    EXPECT_THAT(
        message_of(65536, [](auto&) {}),
        ::testing::MatchesRegex("linear: weight_reads near_banks takes [0-9]+ B of circular "
                                "buffers; a core has 1395424 B of L1 for them; "
                                "or set weight_reads to all_banks"));
}

}  // namespace
}  // namespace tessera::ops
