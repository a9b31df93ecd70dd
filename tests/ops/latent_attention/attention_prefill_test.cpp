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
    std::vector<std::int32_t> contexts;  ///< cached tokens per sequence
    std::uint32_t rows_each = 0;         ///< key rows per sequence, with contexts
    std::uint32_t num_chosen = 0;        ///< positions per token
};

/// Every token chooses other positions. Some are after the token, some are −1 (none).
std::vector<std::int32_t> choices_of(const Call& call) {
    std::vector<std::int32_t> chosen(std::size_t{call.tokens} * call.num_chosen);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::size_t token = i / call.num_chosen;
        chosen[i] = i % 5 == 4 ? -1
                               : static_cast<std::int32_t>((token * 7 + i % call.num_chosen * 13) %
                                                           call.rows_each);
    }
    return chosen;
}

std::vector<OpInput> inputs_of(const Call& call) {
    const auto sequences = static_cast<std::uint32_t>(call.starts.size());
    const std::uint32_t rows = call.contexts.empty() ? call.tokens : sequences * call.rows_each;
    std::vector<OpInput> inputs{{random_rows({call.tokens, call.heads, call.nope}, 1)},
                                {random_rows({call.tokens, call.heads, call.rope}, 2)},
                                {random_rows({rows, call.heads * (call.nope + call.value)}, 3)},
                                {random_rows({rows, call.rope}, 4)},
                                {ints({sequences}, call.starts)}};
    if (!call.contexts.empty()) {
        inputs.push_back({ints({sequences}, call.contexts)});
    }
    if (call.num_chosen != 0) {
        inputs.push_back({ints({call.tokens, call.num_chosen}, choices_of(call))});
    }
    return inputs;
}

OpRun attend(const Call& call, const SessionOptions& options = {.threads = 1}) {
    const PrefillSpec spec{.scale = 0.3, .block = call.block};
    return run_op(op(), spec, inputs_of(call), test_arch(), options);
}

class PrefillCalls : public ::testing::TestWithParam<Call> {};

TEST_P(PrefillCalls, AreThoseOfTheReference) {
    EXPECT_TRUE(keeps_its_tolerance(op(), attend(GetParam())));
}

// One token; one head; tile − 1 to tile + 1; ragged sequences and one without tokens; blocks that
// key tiles do not fill; rows that are not aligned for DRAM.
INSTANTIATE_TEST_SUITE_P(
    Edges, PrefillCalls,
    ::testing::Values(Call{.tokens = 1, .heads = 1}, Call{.tokens = 31}, Call{.tokens = 32},
                      Call{.tokens = 33}, Call{.tokens = 100, .starts = {0, 33, 33, 97}},
                      Call{.tokens = 200, .heads = 1, .block = 3},
                      Call{.tokens = 70, .heads = 3, .nope = 128, .rope = 64, .value = 128},
                      Call{.tokens = 40, .heads = 3, .nope = 24, .rope = 40, .value = 40}));

// Contexts of no token, tile − 1 to tile + 1 and several tiles; sequences with different contexts,
// and one without tokens; the last key tile visible completely, or only in part.
INSTANTIATE_TEST_SUITE_P(
    Contexts, PrefillCalls,
    ::testing::Values(
        Call{.tokens = 33, .contexts = {0}, .rows_each = 48},
        Call{.tokens = 1, .heads = 1, .contexts = {1}, .rows_each = 2},
        Call{.tokens = 1, .contexts = {63}, .rows_each = 64},
        Call{.tokens = 32, .contexts = {31}, .rows_each = 64},
        Call{.tokens = 33, .contexts = {32}, .rows_each = 65},
        Call{.tokens = 31, .contexts = {33}, .rows_each = 70},
        Call{.tokens = 65, .block = 2, .contexts = {100}, .rows_each = 170},
        Call{.tokens = 70, .starts = {0, 5, 5, 38}, .contexts = {0, 9, 64, 95}, .rows_each = 128}));

// Fewer and more positions than a token sees, with a context and without.
INSTANTIATE_TEST_SUITE_P(
    Chosen, PrefillCalls,
    ::testing::Values(Call{.tokens = 1, .contexts = {0}, .rows_each = 1, .num_chosen = 1},
                      Call{.tokens = 33, .contexts = {0}, .rows_each = 33, .num_chosen = 33},
                      Call{.tokens = 40, .contexts = {31}, .rows_each = 80, .num_chosen = 7},
                      Call{.tokens = 70,
                           .starts = {0, 33},
                           .block = 1,
                           .contexts = {90, 0},
                           .rows_each = 123,
                           .num_chosen = 20}));

// Tokens after a context are the last tokens of the whole prompt.
TEST(AttentionPrefill, BehindAContextIsTheEndOfTheWholePrompt) {
    const Call whole{.tokens = 75, .heads = 1};
    const auto inputs = inputs_of(whole);
    const auto last_rows = [](const HostTensor& tensor, std::uint32_t count) {
        Shape shape = tensor.shape;
        shape[0] = count;
        HostTensor rows = make_host_tensor(shape, tensor.format);
        std::copy(tensor.bytes.end() - static_cast<std::ptrdiff_t>(rows.bytes.size()),
                  tensor.bytes.end(), rows.bytes.begin());
        return rows;
    };

    const auto end = run_op(op(), PrefillSpec{.scale = 0.3},
                            {{last_rows(inputs[0].values, 30)},
                             {last_rows(inputs[1].values, 30)},
                             inputs[2],
                             inputs[3],
                             inputs[4],
                             {ints({1}, {45})}},
                            test_arch());

    EXPECT_TRUE(
        keeps_its_tolerance(op(), {end.outputs, {last_rows(attend(whole).references[0], 30)}}));
}

TEST(AttentionPrefill, OfATokenThatChoseNothingIsZero) {
    const Call call{.tokens = 2, .heads = 1, .contexts = {40}, .rows_each = 42, .num_chosen = 1};
    std::vector<OpInput> inputs = inputs_of(call);
    inputs[6].values = ints({2, 1}, {-1, 3});

    const auto values =
        floats_of(run_op(op(), PrefillSpec{.scale = 1}, inputs, test_arch()).outputs[0]);

    EXPECT_THAT(std::vector<float>(values.begin(), values.begin() + 16), ::testing::Each(0.0F));
    EXPECT_NE(values[16], 0.0F);
}

TEST(AttentionPrefill, GivesTheSameBytesAtTwoThreadsAndUnderEveryDelivery) {
    const Call call{.tokens = 100,
                    .starts = {0, 33, 97},
                    .block = 2,
                    .contexts = {0, 40, 3},
                    .rows_each = 104,
                    .num_chosen = 30};
    const auto bytes = attend(call).outputs[0].bytes;

    for (const NocDelivery delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        EXPECT_EQ(attend(call, {.threads = 2, .delivery = delivery}).outputs[0].bytes, bytes);
    }
}

// The first token of a sequence attends only to itself, so its result is its value.
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

std::string refusal_of(const Call& call) {
    const PrefillSpec spec{.scale = 1};
    std::vector<std::vector<HostTensor>> held;
    for (const OpInput& input : inputs_of(call)) {
        held.push_back({input.values});
    }
    return usage_error_message([&] { op().check_values(HeldStep(&spec, held).at()); });
}

TEST(AttentionPrefill, NamesASequenceThatStartsBeforeTheOneInFrontOfIt) {
    EXPECT_EQ(refusal_of({.tokens = 40, .starts = {0, 30, 20}}),
              "attention_prefill: sequence_starts[2] is 20; allowed: 30 to 40: sequences follow "
              "each other from 0 on");
}

TEST(AttentionPrefill, NamesAContextThatKeysHaveNoRoomFor) {
    EXPECT_EQ(refusal_of({.tokens = 40, .starts = {0, 30}, .contexts = {3, 31}, .rows_each = 40}),
              "attention_prefill: contexts[1] is 31; with 10 tokens behind them, kv has room for 0 "
              "to 30 of a sequence");
    EXPECT_EQ(refusal_of({.tokens = 4, .contexts = {-1}, .rows_each = 40}),
              "attention_prefill: contexts[0] is -1; with 4 tokens behind them, kv has room for 0 "
              "to 36 of a sequence");
}

}  // namespace
}  // namespace tessera::ops::attention_prefill
