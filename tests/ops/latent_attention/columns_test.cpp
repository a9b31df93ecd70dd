// SPDX-License-Identifier: Apache-2.0
// Splits and joins of heads, products of heads, and rows times a matrix.
#include <gmock/gmock.h>

#include "ops/gate_linear/gate_linear.hpp"
#include "ops/head_product/head_product.hpp"
#include "ops/join_columns/join_columns.hpp"
#include "ops/linear/linear.hpp"
#include "ops/slice_columns/slice_columns.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"
#include "tests/ops/two_bank_arch.hpp"

namespace tessera::ops {
namespace {

using join_columns::JoinColumnsSpec;
using slice_columns::SliceColumnsSpec;
using testing::all_sessions;
using testing::counted;
using ::testing::ElementsAre;
using testing::has_reference_bytes;
using testing::ints;
using testing::keeps_its_tolerance;
using testing::OpInput;
using testing::random_rows;
using testing::run_op;
using testing::test_arch;
using testing::values_of;

SliceColumnsSpec slice(std::uint32_t heads, std::uint32_t first, std::uint32_t columns) {
    SliceColumnsSpec spec{.heads = heads, .first = first, .columns = columns};
    spec.cb_depth = 4;
    return spec;
}

JoinColumnsSpec join(bool merge_heads) {
    JoinColumnsSpec spec{.merge_heads = merge_heads};
    spec.cb_depth = 4;
    return spec;
}

TEST(SliceColumns, TakesARangeOfEachHead) {
    const auto run = run_op(slice_columns::op(), slice(2, 1, 2), {{counted({2, 6})}}, test_arch());

    EXPECT_EQ(run.outputs[0].shape, (Shape{2, 2, 2}));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(1, 2, 4, 5, 7, 8, 10, 11));
}

struct Slice {
    Shape shape;
    std::uint32_t heads, first, columns;
};

class Slices : public ::testing::TestWithParam<Slice> {};

TEST_P(Slices, AreThoseOfTheReference) {
    const auto& [shape, heads, first, columns] = GetParam();

    const auto run = run_op(slice_columns::op(), slice(heads, first, columns),
                            {{random_rows(shape)}}, test_arch());

    EXPECT_TRUE(has_reference_bytes(run));
}

// Aligned for DRAM and not; one head and many; one row, and more rows than cores.
INSTANTIATE_TEST_SUITE_P(Edges, Slices,
                         ::testing::Values(Slice{{1, 1}, 0, 0, 0}, Slice{{5, 40}, 0, 32, 0},
                                           Slice{{5, 40}, 0, 3, 7}, Slice{{2, 3, 96}, 4, 16, 8},
                                           Slice{{65, 576}, 0, 512, 64},
                                           Slice{{3, 33 * 24}, 33, 5, 11}));

TEST(JoinColumns, PutsRowsBehindEachOther) {
    const auto run = run_op(join_columns::op(), join(false),
                            {{counted({2, 3})}, {ints({2, 1}, {8, 9})}}, test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(0, 1, 2, 8, 3, 4, 5, 9));
}

TEST(JoinColumns, MergesTheHeadsOfAToken) {
    const auto run =
        run_op(join_columns::op(), join(true), {{random_rows({3, 5, 24})}}, test_arch());

    EXPECT_EQ(run.outputs[0].shape, (Shape{3, 120}));
    EXPECT_EQ(run.outputs[0].bytes, random_rows({3, 5, 24}).bytes);
}

TEST(JoinColumns, JoinsBeforeItMerges) {
    const auto run = run_op(join_columns::op(), join(true),
                            {{counted({1, 2, 1})}, {ints({1, 2, 1}, {8, 9})}}, test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ElementsAre(0, 8, 1, 9));
}

TEST(SliceColumns, NamesHeadsThatDoNotDivide) {
    const DeviceTensor input{{{3, 10}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor output{{{3, 4, 2}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&input};
    const DeviceTensor* const out[]{&output};
    const SliceColumnsSpec spec = slice(4, 0, 2);

    EXPECT_EQ(
        usage_error_message([&] { check_call(slice_columns::op(), test_arch(), &spec, in, out); }),
        "slice_columns: heads is 4; allowed: a divisor of the 10 columns of a row");
}

struct Heads {
    std::uint32_t tokens, heads, rows, columns;
    HeadRows rows_are;
};

class HeadProducts : public ::testing::TestWithParam<Heads> {};

TEST_P(HeadProducts, AreThoseOfTheReference) {
    const auto& [tokens, heads, rows, columns, rows_are] = GetParam();
    const bool are_inputs = rows_are == HeadRows::Inputs;
    const HeadProductSpec spec{.rows_are = rows_are, .first = 3, .rows = rows};

    const auto run = run_op(head_product::op(), spec,
                            {{random_rows({tokens, heads, are_inputs ? rows : columns})},
                             {random_rows({heads * (rows + 5), columns}, 2)}},
                            test_arch());

    EXPECT_TRUE(keeps_its_tolerance(head_product::op(), run));
}

INSTANTIATE_TEST_SUITE_P(Edges, HeadProducts,
                         ::testing::Values(Heads{1, 1, 16, 32, HeadRows::Inputs},
                                           Heads{1, 1, 16, 32, HeadRows::Outputs},
                                           Heads{33, 3, 31, 33, HeadRows::Inputs},
                                           Heads{33, 3, 33, 31, HeadRows::Outputs},
                                           Heads{64, 70, 32, 160, HeadRows::Inputs},
                                           Heads{5, 2, 128, 512, HeadRows::Outputs}));

linear::LinearSpec linear_spec() {
    linear::LinearSpec spec;
    spec.strip = 3;
    spec.k_block = 8;
    spec.k_chunk = 8;
    spec.cb_depth = 2;
    return spec;
}

/// Rows, K and N, and cores that share K.
struct LinearCase {
    Shape extents;
    std::uint32_t split_k = 0;
};

class Linears : public ::testing::TestWithParam<LinearCase> {};

TEST_P(Linears, AreThoseOfTheReference) {
    const Shape& extents = GetParam().extents;
    linear::LinearSpec spec = linear_spec();
    spec.split_k = GetParam().split_k;
    const std::vector<OpInput> inputs{{random_rows({extents[0], extents[1]})},
                                      {random_rows({extents[2], extents[1]}, 2), Layout::TILE},
                                      {random_rows({extents[2]}, 3)}};

    for (const SessionOptions& options : all_sessions()) {
        const auto run = run_op(linear::op(), spec, inputs, test_arch(), options);

        EXPECT_TRUE(keeps_its_tolerance(linear::op(), run));
    }
}

TEST_P(Linears, HaveTheSameBytesIfTheWriterReadsTheWeightsOfSomeBanks) {
    const Shape& extents = GetParam().extents;
    linear::LinearSpec spec = linear_spec();
    spec.split_k = GetParam().split_k;
    const std::vector<OpInput> inputs{{random_rows({extents[0], extents[1]})},
                                      {random_rows({extents[2], extents[1]}, 2), Layout::TILE},
                                      {random_rows({extents[2]}, 3)}};
    spec.both_nocs = false;
    const auto expected = run_op(linear::op(), spec, inputs, test_arch());
    spec.both_nocs = true;

    for (const SessionOptions& options : all_sessions()) {
        const auto run =
            run_op(linear::op(), spec, inputs, testing::arch_with_two_banks_in_a_row(), options);

        EXPECT_EQ(run.outputs[0].bytes, expected.outputs[0].bytes);
    }
}

TEST(Linear, RefusesMoreSharersThanTilesOfK) {
    const DeviceTensor rows{{{8, 96}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor weights{{{32, 96}, DataFormat::Float16_b, Layout::TILE}, {}};
    const DeviceTensor output{{{8, 32}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&rows, &weights};
    const DeviceTensor* const out[]{&output};
    linear::LinearSpec spec = linear_spec();
    spec.split_k = 4;

    EXPECT_EQ(usage_error_message([&] { check_call(linear::op(), test_arch(), &spec, in, out); }),
              "linear: split_k is 4; allowed: 0, 1, or as many cores as the grid and the 3 tiles "
              "of K have, whose parts fit in L1");
}

// A row of zeros gives the bias alone.
TEST(Linear, AddsTheBiasToEachRow) {
    const HostTensor bias = random_rows({70}, 3);

    const auto run = run_op(linear::op(), linear_spec(),
                            {{make_host_tensor({33, 40}, DataFormat::Float16_b)},
                             {random_rows({70, 40}, 2), Layout::TILE},
                             {bias}},
                            test_arch());

    for (std::size_t row = 0; row < 33; ++row) {
        const auto first = run.outputs[0].bytes.begin() + static_cast<std::ptrdiff_t>(row * 140);
        EXPECT_TRUE(std::equal(bias.bytes.begin(), bias.bytes.end(), first)) << row;
    }
}

// Cases: K and columns that end within a tile, one K tile, more than 128 rows, and cores that
// finish no tile.
INSTANTIATE_TEST_SUITE_P(
    Edges, Linears,
    ::testing::Values(LinearCase{{1, 1, 2}}, LinearCase{{1, 96, 40}}, LinearCase{{33, 31, 33}},
                      LinearCase{{64, 300, 129}}, LinearCase{{64, 300, 129}, 1},
                      LinearCase{{8, 1000, 70}, 16}, LinearCase{{150, 100, 260}, 3},
                      LinearCase{{300, 64, 34}, 2}, LinearCase{{8, 1000, 70}, 4},
                      LinearCase{{40, 1000, 130}, 2}, LinearCase{{130, 1300, 70}, 2}));

/// Tokens, K and experts, and cores that share K.
struct GateCase {
    Shape extents;
    std::uint32_t split_k = 0;
};

class Gates : public ::testing::TestWithParam<GateCase> {};

TEST_P(Gates, GiveTheLogitsOfTheReference) {
    const Shape& extents = GetParam().extents;
    gate_linear::GateSpec spec;
    spec.cb_depth = 2;
    spec.split_k = GetParam().split_k;
    const std::vector<OpInput> inputs{{random_rows({extents[0], extents[1]})},
                                      {random_rows({extents[2], extents[1]}, 2)},
                                      {random_rows({extents[2]}, 3)}};

    for (const SessionOptions& options : all_sessions()) {
        const auto run = run_op(gate_linear::op(), spec, inputs, test_arch(), options);

        EXPECT_TRUE(keeps_its_tolerance(gate_linear::op(), run));
    }
}

// One chunk of K, chunks that members do not share evenly, a short last chunk, more units than
// cores can share.
INSTANTIATE_TEST_SUITE_P(Edges, Gates,
                         ::testing::Values(GateCase{{3, 40, 7}}, GateCase{{33, 1300, 40}, 1},
                                           GateCase{{33, 1300, 40}, 4}, GateCase{{1, 5000, 256}},
                                           GateCase{{300, 600, 256}}));

/// Checks a call with 8 tokens and 32 experts: one unit of work.
void check_gates(std::uint32_t hidden, std::uint32_t split_k) {
    const DeviceTensor tokens{{{8, hidden}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor weights{{{32, hidden}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor logits{{{8, 32}, DataFormat::Float32, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&tokens, &weights};
    const DeviceTensor* const out[]{&logits};
    gate_linear::GateSpec spec;
    spec.cb_depth = 2;
    spec.split_k = split_k;
    check_call(gate_linear::op(), test_arch(), &spec, in, out);
}

TEST(GateLinear, RefusesMoreSharersThanItsUnitsLeave) {
    EXPECT_EQ(usage_error_message([] { check_gates(96, 2); }),
              "gate_linear: split_k is 2; allowed for 1 units of work and 3 tiles of K: 0 to 1");
}

// A core has room for 340 pages of 4096 B. 310 tiles of K of both operands, 16 pages of rows and 2
// of logits leave 12; the sums of 16 members need 17.
TEST(GateLinear, CountsTheSumsOfMembersInL1) {
    EXPECT_EQ(usage_error_message([] { check_gates(9920, 16); }),
              "gate_linear: hidden_states with H = 9920 take 1413120 B of circular buffers; a core "
              "has 1395424 B of L1 for them");
    EXPECT_NO_THROW(check_gates(9920, 11));
    EXPECT_NO_THROW(check_gates(9920, 0));
}

}  // namespace
}  // namespace tessera::ops
