// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_prefill/attention_prefill.hpp"

#include <gmock/gmock.h>

#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops::attention_prefill {
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
    std::uint32_t tokens = 40;
    std::vector<std::int32_t> starts{0};
    std::uint32_t heads = 2;
    std::uint32_t nope = 16;
    std::uint32_t rope = 8;
    std::uint32_t value = 16;
    std::uint32_t block = 4;
};

std::vector<OpInput> inputs_of(const Call& call) {
    return {{random_rows({call.tokens, call.heads, call.nope}, 1)},
            {random_rows({call.tokens, call.heads, call.rope}, 2)},
            {random_rows({call.tokens, call.heads * (call.nope + call.value)}, 3)},
            {random_rows({call.tokens, call.rope}, 4)},
            {ints({static_cast<std::uint32_t>(call.starts.size())}, call.starts)}};
}

OpRun attend(const Call& call, const SessionOptions& options = {.threads = 1}) {
    const PrefillSpec spec{.scale = 0.3, .block = call.block};
    return run_op(op(), spec, inputs_of(call), test_arch(), options);
}

class PrefillCalls : public ::testing::TestWithParam<Call> {};

TEST_P(PrefillCalls, AreThoseOfTheReference) {
    EXPECT_TRUE(keeps_its_tolerance(op(), attend(GetParam())));
}

// One token, one head, tile − 1 to tile + 1, ragged sequences and one without tokens, blocks that
// key tiles do not fill, rows that are not aligned for DRAM.
INSTANTIATE_TEST_SUITE_P(
    Edges, PrefillCalls,
    ::testing::Values(Call{.tokens = 1, .heads = 1}, Call{.tokens = 31}, Call{.tokens = 32},
                      Call{.tokens = 33}, Call{.tokens = 100, .starts = {0, 33, 33, 97}},
                      Call{.tokens = 200, .heads = 1, .block = 3},
                      Call{.tokens = 70, .heads = 3, .nope = 128, .rope = 64, .value = 128},
                      Call{.tokens = 40, .heads = 3, .nope = 24, .rope = 40, .value = 40}));

TEST(AttentionPrefill, GivesTheSameBytesAtTwoThreadsAndUnderEveryDelivery) {
    const Call call{.tokens = 100, .starts = {0, 33, 97}, .block = 2};
    const auto bytes = attend(call).outputs[0].bytes;

    for (const NocDelivery delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        EXPECT_EQ(attend(call, {.threads = 2, .delivery = delivery}).outputs[0].bytes, bytes);
    }
}

// The first token of a sequence sees itself alone: its result is its value.
TEST(AttentionPrefill, OfTheFirstTokenIsItsOwnValue) {
    const Call call{.tokens = 50, .starts = {0, 20}, .heads = 1};

    const auto run = attend(call);

    const auto kv = floats_of(inputs_of(call)[2].values);
    const auto values = floats_of(run.outputs[0]);
    for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_NEAR(values[i], kv[16 + i], std::abs(kv[16 + i]) / 128) << i;
        EXPECT_NEAR(values[20 * 16 + i], kv[20 * 32 + 16 + i], std::abs(kv[20 * 32 + 16 + i]) / 128)
            << i;
    }
}

TEST(AttentionPrefill, NamesASequenceThatStartsBeforeTheOneInFrontOfIt) {
    const PrefillSpec spec{.scale = 1};
    std::vector<std::vector<HostTensor>> held;
    for (const OpInput& input : inputs_of({.tokens = 40, .starts = {0, 30, 20}})) {
        held.push_back({input.values});
    }

    EXPECT_EQ(usage_error_message([&] { op().check_values(HeldStep(&spec, held).at()); }),
              "attention_prefill: sequence_starts[2] is 20; it must be 30 to 40: sequences follow "
              "each other from 0 on");
}

}  // namespace
}  // namespace tessera::ops::attention_prefill
