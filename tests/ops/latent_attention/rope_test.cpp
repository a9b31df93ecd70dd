// SPDX-License-Identifier: Apache-2.0
#include "ops/rope/rope.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "ops/rotary_table/rotary_table.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/golden_compare.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops {
namespace {

using golden::GoldenFile;
using testing::counted;
using testing::floats_of;
using testing::golden_tensor;
using testing::ints;
using testing::keeps_its_tolerance;
using testing::keeps_to;
using testing::OpRun;
using testing::random_rows;
using testing::run_op;
using testing::test_arch;

OpRun make_table(const HostTensor& positions, std::uint32_t dim,
                 RopeLayout layout = RopeLayout::Interleaved) {
    const RotaryTableSpec spec{.layout = layout, .dim = dim, .theta = 10000, .grid = {}};
    return run_op(rotary_table::op(), spec, {{positions}}, test_arch());
}

TEST(RotaryTable, IsThatOfTheGoldenFile) {
    const GoldenFile file("rope_layouts");

    const OpRun run = make_table(counted({20}), 16);

    EXPECT_TRUE(keeps_to(file, "cos", run.outputs[0]));
    EXPECT_TRUE(keeps_to(file, "sin", run.outputs[1]));
}

// In fp32, the product of position and frequency alone would have an error of 1/128.
TEST(RotaryTable, KeepsTheAngleOfADistantPosition) {
    const OpRun run = make_table(ints({2}, {131071, 1000000}), 2);

    EXPECT_NEAR(floats_of(run.outputs[0])[0], std::cos(131071.0), 1e-7);
    EXPECT_NEAR(floats_of(run.outputs[1])[1], std::sin(1000000.0), 1e-7);
}

struct GoldenLayout {
    RopeLayout layout;
    const char* name;
};

class RopeLayouts : public ::testing::TestWithParam<GoldenLayout> {};

TEST_P(RopeLayouts, IsThatOfTheGoldenFileToTheLastBitOfBfloat16) {
    const GoldenFile file("rope_layouts");
    const HostTensor x = golden_tensor(file, "x");
    const HostTensor table = make_table(counted({20}), 16, GetParam().layout).outputs[2];
    const rope::RopeSpec spec{.layout = GetParam().layout};

    const auto run = run_op(rope::op(), spec, {{x}, {table}}, test_arch());

    const auto values = floats_of(run.outputs[0]);
    const auto wanted = file.tensor(GetParam().name).floats();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_LE(std::abs(values[i] - wanted[i]), golden::bf16_ulp(wanted[i]) / 2 * 1.001) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, RopeLayouts,
                         ::testing::Values(GoldenLayout{RopeLayout::Interleaved, "out_interleaved"},
                                           GoldenLayout{RopeLayout::Half, "out_half"},
                                           GoldenLayout{RopeLayout::Deinterleaved,
                                                        "out_hf_interleave"}),
                         [](const auto& row) { return std::string(row.param.name); });

struct Part {
    Shape shape;
    std::uint32_t first;
    std::uint32_t dim;
};

class RopeParts : public ::testing::TestWithParam<Part> {};

TEST_P(RopeParts, TurnsARangeOfEachHeadByItsPosition) {
    const auto& [shape, first, dim] = GetParam();
    const std::uint32_t tokens = shape[0];
    std::vector<std::int32_t> positions;
    for (std::uint32_t token = 0; token < tokens; ++token) {
        positions.push_back(static_cast<std::int32_t>(40 - token));  // descending
    }
    const std::uint32_t rotated = dim != 0 ? dim : shape.back() - first;
    const HostTensor table = make_table(counted({41}), rotated, RopeLayout::Half).outputs[2];
    const rope::RopeSpec spec{.layout = RopeLayout::Half, .first = first, .dim = dim};

    const auto run =
        run_op(rope::op(), spec, {{random_rows(shape)}, {table}, {ints({tokens}, positions)}},
               test_arch());

    EXPECT_TRUE(keeps_its_tolerance(rope::op(), run));
}

INSTANTIATE_TEST_SUITE_P(Edges, RopeParts,
                         ::testing::Values(Part{{1, 2}, 0, 0}, Part{{3, 1, 8}, 0, 0},
                                           Part{{33, 64}, 0, 0}, Part{{5, 7, 128}, 0, 16},
                                           Part{{2, 128}, 64, 0}, Part{{41, 2, 96}, 32, 34},
                                           Part{{33, 2, 256}, 0, 64}, Part{{5, 192}, 16, 96}));

TEST(Rope, LeavesWhatItDoesNotTurnAsItIs) {
    const HostTensor x = random_rows({4, 128});
    const HostTensor table = make_table(counted({4}), 16).outputs[2];
    const rope::RopeSpec spec{.first = 16, .dim = 16};

    const auto values = floats_of(run_op(rope::op(), spec, {{x}, {table}}, test_arch()).outputs[0]);

    const auto before = floats_of(x);
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (i % 128 < 16 || i % 128 >= 32) {
            EXPECT_EQ(values[i], before[i]) << i;
        }
    }
}

TEST(Rope, NamesAPositionThatTheTableDoesNotHave) {
    const rope::RopeSpec spec{};
    const testing::HeldStep step(&spec, {{random_rows({2, 8})},
                                         {make_host_tensor({5, 32}, DataFormat::Float32)},
                                         {ints({2}, {4, 5})}});

    EXPECT_EQ(usage_error_message([&] { rope::op().check_values(step.at()); }),
              "rope: positions[1] is 5; the table has rows 0 to 4");
}

TEST(Rope, NamesATableOfAnotherDimension) {
    const auto rows = [](Shape shape, DataFormat format) {
        return DeviceTensor{{std::move(shape), format, Layout::ROW_MAJOR}, {}};
    };
    const DeviceTensor x = rows({4, 64}, DataFormat::Float16_b);
    const DeviceTensor table = rows({4, 64}, DataFormat::Float32);
    const DeviceTensor* const in[]{&x, &table};
    const DeviceTensor* const out[]{&x};
    const rope::RopeSpec spec{};

    EXPECT_EQ(usage_error_message([&] { check_call(rope::op(), test_arch(), &spec, in, out); }),
              "rope: table has rows of 64 elements; allowed for 64 rotated ones: 128");
}

}  // namespace
}  // namespace tessera::ops
