// SPDX-License-Identifier: Apache-2.0
#include "ops/copy/copy.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera::ops::copy {
namespace {

using testing::OneDevice;

HostTensor counting(const Shape& shape) {
    HostTensor tensor = make_host_tensor(shape, DataFormat::UInt16);
    std::iota(tensor.as<std::uint16_t>().begin(), tensor.as<std::uint16_t>().end(),
              std::uint16_t{1});
    return tensor;
}

struct Case {
    const char* name;
    Shape shape;
    Layout layout = Layout::TILE;
    BufferType from = BufferType::DRAM;
    BufferType to = BufferType::DRAM;
    CopySpec schedule{.grid = {}, .cb_depth = 2};
};

class Copy : public ::testing::TestWithParam<Case> {};

void expect_copy(const Case& test, const SessionOptions& options) {
    OneDevice device(testing::small_arch(), options);
    const HostTensor values = counting(test.shape);
    const DeviceTensor input = device.put("input", values, test.layout, test.from);
    const DeviceTensor output = device.make("output", input.spec, test.to);

    device.run("copy", call_program(op(), device.arch(), &test.schedule, {input}, {output}));

    EXPECT_EQ(device.get(output).bytes, values.bytes);
}

TEST_P(Copy, MovesEveryElement) {
    expect_copy(GetParam(), {.threads = 1});
}

TEST_P(Copy, MovesEveryElementHoweverTransfersAreDelivered) {
    expect_copy(GetParam(), {.threads = 2, .delivery = NocDelivery::AtIssue});
    expect_copy(GetParam(), {.threads = 5, .delivery = NocDelivery::Random, .seed = 3});
}

// Rows of 7 elements have 14 B. Their distance is 32 B in DRAM and 16 B in L1.
INSTANTIATE_TEST_SUITE_P(
    Ways, Copy,
    ::testing::Values(Case{"DramToDram", {3, 40, 80}}, Case{"OneTile", {1, 1}},
                      Case{"DramToL1", {3, 40, 80}, Layout::TILE, BufferType::DRAM, BufferType::L1},
                      Case{"L1ToDram", {3, 40, 80}, Layout::TILE, BufferType::L1},
                      Case{"L1ToL1", {3, 40, 80}, Layout::TILE, BufferType::L1, BufferType::L1},
                      Case{"RowsToL1", {9, 7}, Layout::ROW_MAJOR, BufferType::DRAM, BufferType::L1},
                      Case{"RowsToDram", {9, 7}, Layout::ROW_MAJOR, BufferType::L1},
                      Case{"OneCoreDepthOne",
                           {3, 40, 80},
                           Layout::TILE,
                           BufferType::DRAM,
                           BufferType::DRAM,
                           {.grid = {1, 1}, .cb_depth = 1}}),
    [](const auto& test) { return test.param.name; });

DeviceTensor tiles() {
    return {{{40, 80}, DataFormat::Float16_b, Layout::TILE},
            {.page_size = 2048, .aligned_page_size = 2048, .num_pages = 6}};
}

std::string message(const DeviceTensor& input, const DeviceTensor& output,
                    const CopySpec& schedule) {
    return usage_error_message(
        [&] { (void)call_program(op(), testing::small_arch(), &schedule, {input}, {output}); });
}

TEST(CopyErrors, NamesAnOutputOfAnotherSpec) {
    DeviceTensor output = tiles();
    output.spec.format = DataFormat::Float32;
    EXPECT_EQ(message(tiles(), output, {.cb_depth = 2}),
              "copy: output is (40,80) float32 TILE; allowed: (40,80) bfloat16 TILE");
}

TEST(CopyErrors, NamesBuffersWithoutDepthAndBeyondL1) {
    EXPECT_EQ(message(tiles(), tiles(), {.cb_depth = 0}),
              "copy: cb_depth is 0; allowed: at least 1");
    EXPECT_EQ(message(tiles(), tiles(), {.cb_depth = 682}),
              "copy: cb_depth 682 with pages of 2048 B takes 1396736 B of circular buffers; a core "
              "has 1395424 B of L1 for them");
}

}  // namespace
}  // namespace tessera::ops::copy
