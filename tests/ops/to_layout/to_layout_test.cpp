// SPDX-License-Identifier: Apache-2.0
#include "ops/to_layout/to_layout.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/arch_fixture.hpp"
#include "tests/ops/golden_tensor.hpp"
#include "tests/ops/raw_pages.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera::ops::to_layout {
namespace {

using testing::golden_tensor;
using testing::OneDevice;

/// Every bit pattern except NaN may occur.
template <class T>
HostTensor random_bits(Shape shape, DataFormat format, std::uint32_t seed) {
    HostTensor tensor = make_host_tensor(std::move(shape), format);
    std::mt19937 random(seed);
    const T exponent = sizeof(T) == 2 ? T{0x7F80} : static_cast<T>(0x7F800000U);
    for (T& bits : tensor.as<T>()) {
        bits = static_cast<T>(random());
        bits = (bits & exponent) == exponent ? T{1} : bits;
    }
    return tensor;
}

TensorSpec in_other_layout(TensorSpec spec) {
    spec.layout = spec.layout == Layout::TILE ? Layout::ROW_MAJOR : Layout::TILE;
    return spec;
}

/// Runs `input` through one launch, on a device whose memory was filled with 0xFF.
DeviceTensor convert(OneDevice& device, const DeviceTensor& input, const CopySpec& schedule) {
    DeviceTensor output = device.make("output", in_other_layout(input.spec));
    static_cast<void>(
        device.run("to_layout", call_program(op(), device.arch(), &schedule, {input}, {output})));
    return output;
}

/// Returns tiles by their definition: faces in order, zero padding, matrix by matrix.
template <class T>
std::vector<T> expected_tiles(const HostTensor& values) {
    const std::uint32_t columns = values.shape.back();
    const std::uint32_t rows = values.shape.size() < 2 ? 1 : values.shape[values.shape.size() - 2];
    const std::uint32_t across = (columns + 31) / 32;
    const std::uint32_t tiles_of_matrix = (rows + 31) / 32 * across;
    const auto elements = values.as<T>();
    std::vector<T> tiles(elements.size() / (rows * columns) * tiles_of_matrix * kTileElements);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto row = static_cast<std::uint32_t>(i / columns % rows);
        const auto column = static_cast<std::uint32_t>(i % columns);
        const std::size_t tile =
            i / (rows * columns) * tiles_of_matrix + row / 32 * across + column / 32;
        tiles[tile * kTileElements + tile_offset(row % 32, column % 32)] = elements[i];
    }
    return tiles;
}

class ToLayoutShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(ToLayoutShapes, RowsOfBfloat16BecomeTilesAndRowsAgain) {
    const HostTensor values = random_bits<std::uint16_t>(GetParam(), DataFormat::Float16_b, 1);
    OneDevice device(testing::small_arch());

    const DeviceTensor tiles = convert(device, device.put("input", values), {.cb_depth = 2});
    const DeviceTensor rows = convert(device, tiles, {.cb_depth = 2});

    EXPECT_EQ(testing::raw_tiles<std::uint16_t>(device, tiles),
              expected_tiles<std::uint16_t>(values));
    EXPECT_EQ(device.get(rows).bytes, values.bytes);
}

TEST_P(ToLayoutShapes, RowsOfFloat32KeepEveryBit) {
    const HostTensor values = random_bits<std::uint32_t>(GetParam(), DataFormat::Float32, 2);
    OneDevice device(testing::small_arch());

    const DeviceTensor tiles = convert(device, device.put("input", values), {.cb_depth = 1});
    const DeviceTensor rows = convert(device, tiles, {.cb_depth = 1});

    EXPECT_EQ(testing::raw_tiles<std::uint32_t>(device, tiles),
              expected_tiles<std::uint32_t>(values));
    EXPECT_EQ(device.get(rows).bytes, values.bytes);
}

INSTANTIATE_TEST_SUITE_P(AroundTileEdges, ToLayoutShapes,
                         ::testing::Values(Shape{1, 1}, Shape{5}, Shape{31, 33}, Shape{32, 32},
                                           Shape{33, 31}, Shape{1, 128}, Shape{65, 80},
                                           Shape{3, 33, 48}, Shape{2, 2, 5, 7}, Shape{4, 1, 3000},
                                           Shape{2, 64, 2080}),
                         [](const auto& test) {
                             std::string name = to_string(test.param);
                             std::ranges::replace(name, ',', 'x');
                             return name.substr(1, name.size() - 2);
                         });

class ToLayoutGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(ToLayoutGolden, TilesOfTheGoldenFile) {
    const golden::GoldenFile file("tile_layout");
    const HostTensor rows = golden_tensor(file, GetParam() + ".row_major");
    OneDevice device(testing::small_arch());

    const DeviceTensor tiles = convert(device, device.put("input", rows), {.cb_depth = 2});

    EXPECT_EQ(testing::raw_tiles<std::uint16_t>(device, tiles),
              file.tensor(GetParam() + ".tiled").as<std::uint16_t>());
    EXPECT_EQ(device.get(convert(device, tiles, {.cb_depth = 2})).bytes, rows.bytes);
}

INSTANTIATE_TEST_SUITE_P(Cases, ToLayoutGolden, ::testing::Values("c0", "c1", "c2", "c3"));

struct Run {
    const char* name;
    SessionOptions options;
};
class ToLayoutRuns : public ::testing::TestWithParam<Run> {};

TEST_P(ToLayoutRuns, GiveTheSameBytes) {
    const HostTensor values = random_bits<std::uint16_t>({3, 70, 200}, DataFormat::Float16_b, 3);
    OneDevice device(testing::test_arch(), GetParam().options);

    const DeviceTensor tiles = convert(device, device.put("input", values), {.cb_depth = 2});

    EXPECT_EQ(testing::raw_tiles<std::uint16_t>(device, tiles),
              expected_tiles<std::uint16_t>(values));
    EXPECT_EQ(device.get(convert(device, tiles, {.cb_depth = 2})).bytes, values.bytes);
}

INSTANTIATE_TEST_SUITE_P(
    AtAnyDeliveryAndThreads, ToLayoutRuns,
    ::testing::Values(Run{"at_issue", {.threads = 1, .delivery = NocDelivery::AtIssue}},
                      Run{"at_barrier", {.threads = 2, .delivery = NocDelivery::AtBarrier}},
                      Run{"random", {.threads = 5, .delivery = NocDelivery::Random, .seed = 7}}),
    [](const auto& test) { return test.param.name; });

TEST(ToLayout, OneCoreGivesTheBytesOfAllCores) {
    const HostTensor values = random_bits<std::uint16_t>({100, 100}, DataFormat::Float16_b, 4);
    OneDevice device(testing::test_arch());
    const DeviceTensor input = device.put("input", values);

    const DeviceTensor tiles = convert(device, input, {.grid = {1, 1}, .cb_depth = 1});

    EXPECT_EQ(testing::raw_tiles<std::uint16_t>(device, tiles),
              expected_tiles<std::uint16_t>(values));
}

TEST(ToLayout, ShortTensorsAreSpreadOverCoresByWidth) {
    const HostTensor values = random_bits<std::uint16_t>({1, 4096}, DataFormat::Float16_b, 5);
    OneDevice device(testing::test_arch());
    const DeviceTensor input = device.put("input", values);
    const DeviceTensor output = device.make("output", in_other_layout(input.spec));

    const CopySpec schedule{.cb_depth = 2};
    const Program program = call_program(op(), device.arch(), &schedule, {input}, {output});

    EXPECT_EQ(program.kernels.front().cores.num_cores(), 64U);
}

TEST(ToLayout, BlackholesWiderDramAlignmentHolds) {
    const ArchSpec arch = testing::shipped_arch("blackhole_p150");
    const HostTensor values = random_bits<std::uint16_t>({2, 33, 100}, DataFormat::Float16_b, 6);
    OneDevice device(arch);

    const DeviceTensor tiles = convert(device, device.put("input", values), {.cb_depth = 2});

    EXPECT_EQ(testing::raw_tiles<std::uint16_t>(device, tiles),
              expected_tiles<std::uint16_t>(values));
    EXPECT_EQ(device.get(convert(device, tiles, {.cb_depth = 2})).bytes, values.bytes);
}

}  // namespace
}  // namespace tessera::ops::to_layout
