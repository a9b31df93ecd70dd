// SPDX-License-Identifier: Apache-2.0
#include "ops/token_positions/token_positions.hpp"

#include <gmock/gmock.h>

#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops::token_positions {
namespace {

using ::testing::ElementsAre;
using testing::HeldStep;
using testing::ints;
using testing::run_op;
using testing::test_arch;
using testing::values_of;

TEST(TokenPositions, CountsFromTheContextOfEachSequence) {
    const PositionsSpec spec{.tokens = 7};

    const auto run =
        run_op(op(), spec, {{ints({3}, {5, 0, 9})}, {ints({3}, {2, 0, 3})}}, test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(5, 6, 9, 10, 11, -1, -1));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[1]), ElementsAre(0, 0, 2, 2, 2, 2, 2));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[2]), ElementsAre(0, 2, 2));
}

std::string refusal(const std::vector<std::int32_t>& contexts,
                    const std::vector<std::int32_t>& queries) {
    const PositionsSpec spec{.tokens = 4};
    const HeldStep step(&spec, {{ints({2}, contexts)}, {ints({2}, queries)}});
    return usage_error_message([&] { op().check_values(step.at()); });
}

/// Returns the message about two sequences whose pages of 16 positions the table lists.
std::string refusal_of_pages(const std::vector<std::int32_t>& contexts,
                             const std::vector<std::int32_t>& pages, std::uint32_t window = 0) {
    const PositionsSpec spec{.tokens = 4, .page_size = 16, .cache_pages = 4, .window = window};
    const HeldStep step(&spec, {{ints({2}, contexts)}, {ints({2}, {1, 1})}, {ints({2, 2}, pages)}});
    return usage_error_message([&] { op().check_values(step.at()); });
}

TEST(TokenPositions, NamesAPositionBehindThePagesOfItsSequence) {
    EXPECT_EQ(refusal_of_pages({0, 32}, {0, 1, 2, 3}),
              "token_positions: positions[1] is 32; the 2 pages of a sequence hold 0 to 31; "
              "allowed: these, or -1 for none");
}

TEST(TokenPositions, NamesAPageThatATokenNeeds) {
    EXPECT_EQ(refusal_of_pages({20, 3}, {-1, 1, 2, -1}),
              "token_positions: page_table(0,0) is -1; a token at position 20 needs this page");
}

TEST(TokenPositions, NamesAPageOutsideOfTheCache) {
    EXPECT_EQ(refusal_of_pages({20, 3}, {0, 4, 2, -1}),
              "token_positions: page_table(0,1) is 4; the cache has pages 0 to 3; allowed: these, "
              "or -1 for none");
}

// Position 20 sees 16 to 20, which are all in the second page.
TEST(TokenPositions, AcceptsAMissingPageBeforeTheWindow) {
    EXPECT_EQ(refusal_of_pages({20, 3}, {-1, 1, 2, -1}, 5), "(nothing thrown)");
}

TEST(TokenPositions, NamesLengthsThatAreNone) {
    EXPECT_EQ(refusal({0, -1}, {1, 1}),
              "token_positions: context_lens[1] is -1; allowed: 0 or more");
    EXPECT_EQ(refusal({0, 0}, {1, -2}), "token_positions: query_lens[1] is -2; allowed: 0 or more");
    EXPECT_EQ(refusal({0, 0}, {3, 2}),
              "token_positions: query_lens sum to 5; allowed: up to 4, the tokens");
}

}  // namespace
}  // namespace tessera::ops::token_positions
