// SPDX-License-Identifier: Apache-2.0
// linear, whose cores share weights and rows by multicast.
#include <gmock/gmock.h>

#include "ops/linear/linear.hpp"
#include "ops/linear/multicast.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"
#include "tests/ops/two_bank_arch.hpp"

namespace tessera::ops {
namespace {

using linear::LinearSpec;
using linear::ShareByMulticast;
using testing::all_sessions;
using testing::keeps_its_tolerance;
using testing::OpInput;
using testing::random_rows;
using testing::run_op;
using testing::small_arch;
using testing::test_arch;

LinearSpec spec_with(ShareByMulticast multicast) {
    LinearSpec spec;
    spec.strip = kDefaultStrip;
    spec.k_block = spec.k_chunk = kDefaultKBlock;
    spec.cb_depth = kDefaultDepth;
    spec.multicast = multicast;
    return spec;
}

struct Product {
    const char* name;
    std::uint32_t rows, inner, columns;
    ArchSpec arch = test_arch();
    bool has_bias = true;
};

std::vector<OpInput> inputs_of(const Product& product) {
    return {{random_rows({product.rows, product.inner})},
            {random_rows({product.columns, product.inner}, 2), Layout::TILE},
            {product.has_bias ? random_rows({product.columns}, 3) : HostTensor{}}};
}

class LinearMulticasts : public ::testing::TestWithParam<Product> {};

TEST_P(LinearMulticasts, GiveTheProductsOfTheReferenceInAllSessions) {
    const Product& product = GetParam();
    const LinearSpec spec = spec_with(ShareByMulticast::Always);
    std::vector<std::byte> first;

    for (const SessionOptions& options : all_sessions()) {
        const auto run = run_op(linear::op(), spec, inputs_of(product), product.arch, options);

        EXPECT_TRUE(keeps_its_tolerance(linear::op(), run));
        first = first.empty() ? run.outputs[0].bytes : first;
        EXPECT_EQ(run.outputs[0].bytes, first);
    }
}

// Rows, columns and K that end within a tile; cores with one tile more than others; blocks of K of
// different lengths; several bands of cores; several passes over rows and over columns, the last of
// which is empty on some cores.
INSTANTIATE_TEST_SUITE_P(Edges, LinearMulticasts,
                         ::testing::Values(Product{"TwoTiles", 33, 31, 33},
                                           Product{"Bands", 64, 300, 1100},
                                           Product{"UnequalParts", 300, 1100, 590},
                                           Product{"NoBias", 260, 96, 290, test_arch(), false},
                                           Product{"PassesOfRows", 1090, 40, 70, small_arch()},
                                           Product{"PassesOfColumns", 610, 40, 4132, small_arch()}),
                         [](const auto& test) { return test.param.name; });

/// Bytes that all cores of a launch read from memory.
std::uint64_t bytes_read(const LinearSpec& spec, const Product& product) {
    const auto run = run_op(linear::op(), spec, inputs_of(product), product.arch);
    std::uint64_t bytes = 0;
    for (const CoreActivity& core : run.launch.cores) {
        bytes += core.bytes_read;
    }
    return bytes;
}

// 512 rows of 1024 and 512 columns: each operand has 16 * 32 tiles of 2048 B. Cores that share K
// read the weights again for every 128 rows.
TEST(LinearMulticast, ReadsWeightsOnceForEachPassOverRows) {
    constexpr std::uint64_t kOperand = std::uint64_t{16} * 32 * 2048;
    const Product product{"", 512, 1024, 512, test_arch(), false};
    const auto multicast =
        linear::multicast_of(test_arch(), {}, {.rows = 512, .columns = 512, .inner = 1024});
    const std::uint32_t row_passes = 16 / (multicast->rows * multicast->height);
    const std::uint32_t column_passes =
        16 / (multicast->columns * multicast->bands * multicast->width);

    EXPECT_EQ(bytes_read(spec_with(ShareByMulticast::Always), product),
              (row_passes + column_passes * multicast->bands) * kOperand);
    LinearSpec shares_k = spec_with(ShareByMulticast::Never);
    shares_k.split_k = 2;
    EXPECT_GE(bytes_read(shares_k, product), 5 * kOperand);
}

TEST(LinearMulticast, HasOnePassOverThe512RowsOfALargeMatrix) {
    const auto multicast =
        linear::multicast_of(test_arch(), {}, {.rows = 512, .columns = 7168, .inner = 7168});

    EXPECT_GE(multicast->rows * multicast->height, 512U / 32);
}

/// Returns whether a step of `rows` and `columns` shares operands by multicast.
bool is_chosen(const ArchSpec& arch, std::uint32_t rows, std::uint32_t columns = 1024,
               LinearSpec spec = spec_with(ShareByMulticast::Auto)) {
    const std::vector<TensorPlan> inputs{
        {.spec = {{rows, 1024}, DataFormat::Float16_b, Layout::ROW_MAJOR}},
        {.spec = {{columns, 1024}, DataFormat::Float16_b, Layout::TILE}},
        {}};
    const MeshSpec mesh{.shape = {1, 1}, .topology = Topology::Line, .device = arch.name};
    return linear::op().schedule(
               {.arch = arch, .mesh = mesh, .parameters = &spec, .inputs = inputs}) == "multicast";
}

TEST(LinearMulticast, IsChosenIfCoresThatShareKWouldReadWeightsTwice) {
    const ArchSpec arch = testing::arch_with_two_banks_in_a_row();
    LinearSpec with_grid = spec_with(ShareByMulticast::Auto);
    with_grid.grid = {8, 8};

    EXPECT_FALSE(is_chosen(arch, 128));
    EXPECT_TRUE(is_chosen(arch, 129));
    EXPECT_FALSE(is_chosen(arch, 129, 96));
    EXPECT_TRUE(is_chosen(arch, 129, 97));
    EXPECT_FALSE(is_chosen(arch, 129, 1024, with_grid));
    EXPECT_FALSE(is_chosen(arch, 129, 1024, spec_with(ShareByMulticast::Never)));
}

TEST(LinearMulticast, IsChosenForFewerRowsIfNoLinkHasTheDataOfTwoBanks) {
    ArchSpec arch = test_arch();
    arch.dram.num_banks = 1;
    arch.dram.endpoints.resize(1);

    EXPECT_FALSE(is_chosen(arch, 64));
    EXPECT_TRUE(is_chosen(arch, 65));
}

std::string message_of(std::uint32_t rows, const LinearSpec& spec) {
    const DeviceTensor input{{{rows, 96}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor weights{{{64, 96}, DataFormat::Float16_b, Layout::TILE}, {}};
    const DeviceTensor output{{{rows, 64}, DataFormat::Float16_b, Layout::ROW_MAJOR}, {}};
    const DeviceTensor* const in[]{&input, &weights};
    const DeviceTensor* const out[]{&output};
    return usage_error_message([&] { check_call(linear::op(), test_arch(), &spec, in, out); });
}

TEST(LinearMulticast, RefusesProductsThatLeaveNothingToShare) {
    EXPECT_EQ(message_of(32, spec_with(ShareByMulticast::Always)),
              "linear: multicast is always; allowed: never or auto, or more than 32 rows and 32 "
              "columns of the output, and at least two rows and two columns of cores");
}

TEST(LinearMulticast, RefusesKeysOfOtherSchedules) {
    LinearSpec spec = spec_with(ShareByMulticast::Always);
    spec.split_k = 2;

    EXPECT_EQ(message_of(64, spec),
              "linear: split_k is 2, but multicast: always does not use it; allowed: 0, its "
              "default");
}

}  // namespace
}  // namespace tessera::ops
