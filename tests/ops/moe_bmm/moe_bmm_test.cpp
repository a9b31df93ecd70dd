// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <numeric>
#include <tuple>

#include "tests/arch_fixture.hpp"
#include "tests/ops/moe_bmm/bmm_run.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera::ops::moe_bmm {
namespace {

using testing::OneDevice;

struct Case {
    const char* name;
    std::uint32_t tokens, inner, columns;
    std::vector<std::uint32_t> counts;

    [[nodiscard]] std::uint32_t experts() const {
        return static_cast<std::uint32_t>(counts.size());
    }
};

struct NamedSchedule {
    const char* name;
    MoeBmmSpec spec;
};

MoeBmmSpec multi_core(std::uint32_t k_block, Subblock subblock,
                      TileDistribution distribution = TileDistribution::Block) {
    return {.distribution = distribution,
            .grid = {},
            .k_block = k_block,
            .subblock = subblock,
            .cb_depth = 2};
}

MoeBmmSpec multicast_rows(std::uint32_t k_block, Subblock subblock, TileDistribution distribution) {
    MoeBmmSpec schedule = multi_core(k_block, subblock, distribution);
    schedule.schedule = BmmSchedule::MulticastRows;
    return schedule;
}

MoeBmmSpec single_core(std::uint32_t k_block, Subblock subblock, std::uint32_t cb_depth) {
    return {.schedule = BmmSchedule::SingleCore,
            .grid = {},
            .k_block = k_block,
            .subblock = subblock,
            .cb_depth = cb_depth};
}

const std::vector<Case> kCases{
    {"one_tile", 32, 32, 32, {32}},
    {"below_a_tile", 31, 31, 31, {1, 30, 31}},
    {"behind_a_tile", 33, 33, 33, {33, 0, 32}},
    {"uneven", 40, 80, 96, {40, 0, 1, 33}},
    {"decode", 1, 128, 72, {1, 0}},
    {"tall_and_wide", 150, 96, 300, {150, 70}},
    {"without_tokens", 40, 64, 64, {0, 0}},
};

const std::vector<NamedSchedule> kSchedules{
    {"single_core", single_core(1, {1, 1}, 1)},
    {"single_core_blocks", single_core(2, {2, 2}, 3)},
    {"block", multi_core(1, {1, 1})},
    {"round_robin", multi_core(1, {1, 1}, TileDistribution::RoundRobin)},
    {"block_wide", multi_core(2, {1, 4})},
    {"round_robin_square", multi_core(4, {2, 2}, TileDistribution::RoundRobin)},
    {"block_tall_long_k", multi_core(7, {4, 1})},
    {"multicast_rows", multicast_rows(1, {1, 1}, TileDistribution::Block)},
    {"multicast_rows_wide", multicast_rows(2, {1, 4}, TileDistribution::RoundRobin)},
};

/// Rows after the counts are NaN.
BmmInputs make_inputs(const Case& test) {
    return {testing::routed_values({test.experts(), test.tokens, test.inner}, test.counts, 11),
            make_normal_bf16({test.experts(), test.inner, test.columns}, {.seed = 12}),
            test.counts};
}

BmmResult run_case(const Case& test, const MoeBmmSpec& schedule, const ArchSpec& arch,
                   const SessionOptions& options = {.threads = 1}) {
    OneDevice device(arch, options);
    return run_bmm(device, make_inputs(test), schedule);
}

class MoeBmm : public ::testing::TestWithParam<std::tuple<Case, NamedSchedule>> {};

TEST_P(MoeBmm, AgreesWithTheReferenceAndIsZeroBehindTheTokens) {
    const auto& [test, schedule] = GetParam();
    const BmmInputs inputs = make_inputs(test);
    OneDevice device(testing::small_arch());

    const HostTensor output = run_bmm(device, inputs, schedule.spec).output;

    const HostTensor expected = reference(inputs);
    const CloseTolerance tolerance{kSpec.tolerance.min_pcc, kSpec.tolerance.max_relative_error};
    const Closeness closeness = compare_close(output, expected, tolerance);
    EXPECT_TRUE(closeness.passes(tolerance))
        << "pcc " << closeness.pcc << ", error " << closeness.max_rel_err;
    EXPECT_EQ(testing::nonzero_rows_behind(output, test.counts), std::vector<std::size_t>{});
}

INSTANTIATE_TEST_SUITE_P(OfEveryShapeAndSchedule, MoeBmm,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::ValuesIn(kSchedules)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param).name) + "_" +
                                    std::get<1>(test.param).name;
                         });

class MoeBmmSchedules : public ::testing::TestWithParam<NamedSchedule> {};

TEST_P(MoeBmmSchedules, GiveTheBytesOfTheSimplestOne) {
    const Case& test = kCases[3];
    const HostTensor simplest = run_case(test, kSchedules[0].spec, testing::small_arch()).output;

    const BmmResult result = run_case(test, GetParam().spec, testing::test_arch());

    EXPECT_EQ(result.output.bytes, simplest.bytes);
}

TEST_P(MoeBmmSchedules, MultiplyOnlyTilesThatHoldTokens) {
    const Case& test = kCases[3];  // 2 + 0 + 1 + 2 rows of tiles, 3 of K, 3 columns

    const BmmResult result = run_case(test, GetParam().spec, testing::small_arch());

    const auto sum = [&](std::uint64_t CoreActivity::*figure) {
        return std::accumulate(
            result.launch.cores.begin(), result.launch.cores.end(), std::uint64_t{0},
            [&](std::uint64_t total, const CoreActivity& core) { return total + core.*figure; });
    };
    EXPECT_EQ(sum(&CoreActivity::tiles_multiplied), (2U + 0U + 1U + 2U) * 3U * 3U);
    EXPECT_EQ(sum(&CoreActivity::tiles_packed), (2U + 0U + 1U + 2U) * 3U);
}

INSTANTIATE_TEST_SUITE_P(All, MoeBmmSchedules, ::testing::ValuesIn(kSchedules),
                         [](const auto& test) { return test.param.name; });

// 10 tiles of K, the last one partial, in 2, 3 and 4 parts on 2 × 2 cores. Includes cores without
// work and parts of different length.
class MoeBmmKSplit : public ::testing::TestWithParam<std::uint32_t> {
protected:
    const Case kLong{"long_k", 40, 300, 128, {40, 0, 1, 33}};
};

TEST_P(MoeBmmKSplit, AgreesWithTheReferenceAndIsZeroBehindTheTokens) {
    for (const TileDistribution distribution :
         {TileDistribution::Block, TileDistribution::RoundRobin}) {
        for (const std::uint32_t k_block : {1U, 2U}) {
            MoeBmmSpec schedule = multi_core(k_block, {1, 3}, distribution);
            schedule.k_split = GetParam();
            const BmmInputs inputs = make_inputs(kLong);
            OneDevice device(testing::small_arch());

            const HostTensor output = run_bmm(device, inputs, schedule).output;

            const HostTensor expected = reference(inputs);
            const CloseTolerance tolerance{kSpec.tolerance.min_pcc,
                                           kSpec.tolerance.max_relative_error};
            EXPECT_TRUE(compare_close(output, expected, tolerance).passes(tolerance));
            EXPECT_EQ(testing::nonzero_rows_behind(output, kLong.counts),
                      std::vector<std::size_t>{});
        }
    }
}

TEST_P(MoeBmmKSplit, MultipliesEachTileOnce) {
    MoeBmmSpec schedule = multi_core(1, {2, 1});
    schedule.k_split = GetParam();

    const BmmResult result = run_case(kLong, schedule, testing::small_arch());

    std::uint64_t products = 0;
    for (const CoreActivity& core : result.launch.cores) {
        products += core.tiles_multiplied;
    }
    EXPECT_EQ(products, (2U + 0U + 1U + 2U) * 10U * 4U);
}

TEST_P(MoeBmmKSplit, GivesTheSameBytesAtAnyNumberOfThreadsAndUnderEveryDelivery) {
    MoeBmmSpec schedule = multi_core(1, {1, 3});
    schedule.k_split = GetParam();
    const HostTensor first = run_case(kLong, schedule, testing::small_arch()).output;

    for (const std::uint32_t threads : {2U, 5U}) {
        for (const NocDelivery delivery :
             {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
            const SessionOptions options{.threads = threads, .delivery = delivery, .seed = 7};
            EXPECT_EQ(run_case(kLong, schedule, testing::small_arch(), options).output.bytes,
                      first.bytes);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Parts, MoeBmmKSplit, ::testing::Values(2, 3, 4),
                         ::testing::PrintToStringParamName());

MoeBmmSpec near_banks(std::uint32_t bank_cores) {
    return {.schedule = BmmSchedule::NearBanks,
            .grid = {},
            .k_block = 4,
            .subblock = {1, 4},
            .cb_depth = 2,
            .bank_cores = bank_cores};
}

// Twelve banks. 3 columns are in four banks each, 24 in one, 25 in all; 15 tiles of K are no
// multiple of the cores that share a column. With one core a bank, the expert of `reads_again` does
// not stay in L1.
const std::vector<Case> kNearCases{
    {"four_banks", 40, 470, 96, {40, 0, 1, 33}},
    {"one_bank", 150, 128, 768, {150, 70}},
    {"all_banks", 33, 470, 790, {33, 0, 32}},
    {"few_cores", 64, 33, 384, {1, 64}},
    {"without_tokens", 40, 470, 64, {0, 0}},
    {"reads_again", 40, 2048, 1920, {40}},
    {"many_units", 32, 128, 96, {9, 1, 2, 3, 4, 5, 6, 7, 8}},
};

class MoeBmmNearBanks : public ::testing::TestWithParam<std::tuple<Case, std::uint32_t>> {};

TEST_P(MoeBmmNearBanks, AgreesWithTheReferenceAndIsZeroBehindTheTokens) {
    const auto& [test, bank_cores] = GetParam();
    const BmmInputs inputs = make_inputs(test);
    OneDevice device(testing::test_arch());

    const HostTensor output = run_bmm(device, inputs, near_banks(bank_cores)).output;

    const HostTensor expected = reference(inputs);
    const CloseTolerance tolerance{kSpec.tolerance.min_pcc, kSpec.tolerance.max_relative_error};
    EXPECT_TRUE(compare_close(output, expected, tolerance).passes(tolerance));
    EXPECT_EQ(testing::nonzero_rows_behind(output, test.counts), std::vector<std::size_t>{});
}

TEST_P(MoeBmmNearBanks, MultipliesEachTileOnce) {
    const auto& [test, bank_cores] = GetParam();

    const BmmResult result = run_case(test, near_banks(bank_cores), testing::test_arch());

    const auto tiles = [](std::uint32_t extent) { return (extent + 31) / 32; };
    std::uint64_t expected = 0;
    for (const std::uint32_t count : test.counts) {
        expected += std::uint64_t{tiles(count)} * tiles(test.inner) * tiles(test.columns);
    }
    std::uint64_t products = 0;
    for (const CoreActivity& core : result.launch.cores) {
        products += core.tiles_multiplied;
    }
    EXPECT_EQ(products, expected);
}

INSTANTIATE_TEST_SUITE_P(OfEveryShape, MoeBmmNearBanks,
                         ::testing::Combine(::testing::ValuesIn(kNearCases),
                                            ::testing::Values(1U, 4U)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param).name) + "_" +
                                    std::to_string(std::get<1>(test.param));
                         });

TEST(MoeBmmNearBanksRuns, GiveTheSameBytesAtAnyNumberOfThreadsAndUnderEveryDelivery) {
    for (const Case& test : {kNearCases[0], kNearCases[6]}) {
        const HostTensor first = run_case(test, near_banks(2), testing::test_arch()).output;
        for (const std::uint32_t threads : {1U, 2U, 5U}) {
            for (const NocDelivery delivery :
                 {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
                const SessionOptions options{.threads = threads, .delivery = delivery, .seed = 7};
                EXPECT_EQ(run_case(test, near_banks(2), testing::test_arch(), options).output.bytes,
                          first.bytes);
            }
        }
    }
}

// Sums of four banks in bfloat16 keep the result, as those of one core do.
TEST(MoeBmmNearBanksRuns, TakeBfloat16Dst) {
    MoeBmmSpec schedule = near_banks(4);
    schedule.fp32_dest_acc = false;
    const BmmInputs inputs = make_inputs(kNearCases[0]);
    OneDevice device(testing::test_arch());

    const HostTensor output = run_bmm(device, inputs, schedule).output;

    EXPECT_GT(compare_close(output, reference(inputs), {}).pcc, 0.97);
}

/// Cores that an automatic schedule uses: 48 of 64 multiply if they are next to their bank.
std::size_t cores_of_auto(const Case& test, const MoeBmmSpec& schedule) {
    std::size_t busy = 0;
    for (const CoreActivity& core : run_case(test, schedule, testing::test_arch()).launch.cores) {
        busy += core.tiles_multiplied != 0 ? 1 : 0;
    }
    return busy;
}

TEST(MoeBmmAuto, ReadsByTheNearestCoresIfExpertsAreLargeAndNoBlocksAreAskedFor) {
    const Case large{"large", 32, 1024, 512, {32, 1}};
    const Case small{"small", 32, 1024, 128, {32, 1}};
    MoeBmmSpec schedule = near_banks(0);
    schedule.schedule = BmmSchedule::Auto;

    EXPECT_EQ(cores_of_auto(large, schedule), 48U);
    EXPECT_EQ(cores_of_auto(small, schedule), 2U);  // 2 blocks of four columns
    schedule.subblock = {1, 2};
    EXPECT_EQ(cores_of_auto(large, schedule), 16U);  // 16 blocks of two
}

struct Run {
    const char* name;
    SessionOptions options;
};
class MoeBmmRuns : public ::testing::TestWithParam<Run> {};

TEST_P(MoeBmmRuns, GiveTheSameBytes) {
    const Case& test = kCases[5];
    for (const MoeBmmSpec& schedule :
         {multi_core(2, {1, 2}), multicast_rows(1, {1, 2}, TileDistribution::Block)}) {
        const HostTensor first = run_case(test, schedule, testing::test_arch()).output;

        const BmmResult result = run_case(test, schedule, testing::test_arch(), GetParam().options);

        EXPECT_EQ(result.output.bytes, first.bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    AtAnyDeliveryAndThreads, MoeBmmRuns,
    ::testing::Values(Run{"at_issue", {.threads = 2, .delivery = NocDelivery::AtIssue}},
                      Run{"at_barrier", {.threads = 5, .delivery = NocDelivery::AtBarrier}},
                      Run{"random", {.threads = 2, .delivery = NocDelivery::Random, .seed = 7}}),
    [](const auto& test) { return test.param.name; });

TEST(MoeBmm, SingleCoreTakesTheFirstCore) {
    const BmmResult result = run_case(kCases[3], single_core(1, {1, 1}, 2), testing::test_arch());

    ASSERT_EQ(result.launch.cores.size(), 1U);
    EXPECT_EQ(result.launch.cores.front().core, (CoreCoord{0, 0}));
}

TEST(MoeBmmNumerics, Bfloat16DstLosesPrecisionButNotTheResult) {
    const Case test{"long_k", 32, 640, 64, {32}};
    MoeBmmSpec schedule = multi_core(4, {1, 2});
    schedule.fp32_dest_acc = false;
    const BmmInputs inputs = make_inputs(test);
    const HostTensor expected = reference(inputs);
    OneDevice device(testing::small_arch());

    const HostTensor output = run_bmm(device, inputs, schedule).output;

    const Closeness closeness = compare_close(output, expected, {});
    EXPECT_GT(closeness.pcc, 0.97);
    EXPECT_GT(closeness.max_rel_err, kSpec.tolerance.max_relative_error);
}

TEST(MoeBmmNumerics, LowFidelityDropsBitsOfTheOperands) {
    const Case test{"square", 32, 64, 64, {32}};
    MoeBmmSpec schedule = multi_core(1, {1, 2});
    schedule.math_fidelity = MathFidelity::LoFi;
    const BmmInputs inputs = make_inputs(test);
    const HostTensor expected = reference(inputs);
    OneDevice device(testing::small_arch());

    const HostTensor output = run_bmm(device, inputs, schedule).output;

    const Closeness closeness = compare_close(output, expected, {});
    EXPECT_GT(closeness.pcc, 0.99);
    EXPECT_GT(closeness.max_rel_err, kSpec.tolerance.max_relative_error);
}

TEST(MoeBmm, RunsOnBlackhole) {
    const ArchSpec arch = testing::shipped_arch("blackhole_p150");
    const MoeBmmSpec schedule = multi_core(2, {1, 2});
    const HostTensor wormhole = run_case(kCases[3], schedule, testing::small_arch()).output;

    const BmmResult result = run_case(kCases[3], schedule, arch);

    EXPECT_EQ(result.output.bytes, wormhole.bytes);
}

}  // namespace
}  // namespace tessera::ops::moe_bmm
