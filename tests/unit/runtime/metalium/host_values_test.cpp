// SPDX-License-Identifier: Apache-2.0
// The host's types of the vendor's API that need no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <sstream>

#include "tt-metalium/bfloat16.hpp"
#include "tt-metalium/circular_buffer_constants.h"
#include "tt-metalium/core_coord.hpp"
#include "tt-metalium/magic_enum.hpp"
#include "tt-metalium/math.hpp"
#include "tt-metalium/mesh_coord.hpp"
#include "tt-metalium/tilize_utils.hpp"
#include "tt-metalium/tt_backend_api_types.hpp"
#include "tt-metalium/work_split.hpp"

namespace tt::tt_metal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(CoreRange, IsIteratedRowByRow) {
    const CoreRange range({1, 2}, {2, 3});

    EXPECT_THAT(std::vector<CoreCoord>(range.begin(), range.end()),
                ElementsAre(CoreCoord(1, 2), CoreCoord(2, 2), CoreCoord(1, 3), CoreCoord(2, 3)));
    EXPECT_EQ(range.grid_size(), CoreCoord(2, 2));
}

TEST(CoreRangeSet, MergesNeighboursToOneRectangle) {
    const CoreRangeSet set(std::set<CoreRange>{CoreRange({0, 0}, {0, 1}), CoreRange({1, 0})});

    const CoreRangeSet merged = set.merge(CoreRangeSet(CoreRange({1, 1})));

    EXPECT_THAT(merged.ranges(), ElementsAre(CoreRange({0, 0}, {1, 1})));
    EXPECT_EQ(merged.subtract(CoreRangeSet(CoreRange({0, 0}, {1, 0}))),
              CoreRangeSet(CoreRange({0, 1}, {1, 1})));
    EXPECT_EQ(set.bounding_box(), CoreRange({0, 0}, {1, 1}));
}

TEST(CoreRangeSet, RefusesRangesThatOverlap) {
    const auto make = [] {
        return CoreRangeSet(std::vector<CoreRange>{CoreRange({0, 0}, {2, 2}), CoreRange({2, 2})});
    };

    EXPECT_THAT([&] { static_cast<void>(make()); },
                testing::ThrowsMessage<std::runtime_error>(
                    "CoreRangeSet: [(x=0,y=0) - (x=2,y=2)] and [(x=2,y=2) - (x=2,y=2)] overlap"));
}

TEST(WorkSplit, GivesOneUnitMoreToTheFirstColumns) {
    const auto [num_cores, all, more, fewer, most, least] =
        split_work_to_cores(CoreCoord(8, 8), 100);

    EXPECT_EQ(num_cores, 64U);
    EXPECT_EQ(more.num_cores(), 36U);
    EXPECT_TRUE(more.contains(CoreCoord(4, 3)));
    EXPECT_TRUE(fewer.contains(CoreCoord(4, 4)));
    EXPECT_EQ(most, 2U);
    EXPECT_EQ(least, 1U);
}

// The vendor's function skips 5 and 7.
TEST(WorkSplit, FindsDivisorsOtherThanFiveAndSeven) {
    EXPECT_EQ(find_max_divisor(10, 8), 2);
    EXPECT_EQ(find_max_divisor(14, 7), 2);
    EXPECT_EQ(find_max_divisor(12, 8), 6);
    EXPECT_EQ(find_max_divisor(35, 8), 1);
    EXPECT_EQ(find_max_block_size(10, 8), 5);
    EXPECT_EQ(find_max_block_size(35), 7);
}

// 1 + 2^-8 is halfway between 1 and 1 + 2^-7, and 1 is even.
TEST(Bfloat16, RoundsToNearestEven) {
    EXPECT_EQ(bfloat16(1.00390625F).to_uint16(), 0x3F80);
    EXPECT_EQ(bfloat16(1.01171875F).to_uint16(), 0x3F82);
    EXPECT_EQ(bfloat16(-3).to_float(), -3.0F);
    EXPECT_EQ(bfloat16::truncate(1.01171875F).to_uint16(), 0x3F81);
    EXPECT_TRUE(std::isnan(bfloat16(std::numeric_limits<float>::quiet_NaN()).to_float()));
}

TEST(Bfloat16, PacksTheFirstNumberIntoTheLowerHalf) {
    EXPECT_EQ(pack_two_bfloat16_into_uint32({bfloat16(1.0F), bfloat16(-2.0F)}), 0xC0003F80U);
    EXPECT_THAT(unpack_uint32_vec_into_bfloat16_vec({0xC0003F80U}),
                ElementsAre(bfloat16(1.0F), bfloat16(-2.0F)));
}

// Element (row, column) = (17, 40) of a matrix of 32 × 64: tile 1, face 2, row 1, column 8.
TEST(Tilize, PutsFacesOneAfterAnother) {
    std::vector<int> matrix(32 * 64);
    matrix[17 * 64 + 40] = 1;

    const std::vector<int> faces = tilize_nfaces(matrix, 32, 64);
    const std::vector<int> rows = tilize_swizzled(matrix, 32, 64);

    EXPECT_EQ(faces[1024 + 2 * 256 + 16 + 8], 1);
    EXPECT_EQ(rows[1024 + 17 * 32 + 8], 1);
    EXPECT_EQ(untilize_nfaces(faces, 32, 64), matrix);
    EXPECT_EQ(convert_to_tile_layout(rows), faces);
}

TEST(Tilize, RefusesAMatrixThatIsNoWholeTiles) {
    EXPECT_THROW(static_cast<void>(tilize_nfaces(std::vector<int>(33 * 32), 33, 32)),
                 std::runtime_error);
}

TEST(TileSize, CountsSharedExponents) {
    EXPECT_EQ(tile_size(DataFormat::Bfp8_b), 1088U);
    EXPECT_EQ(tile_size(DataFormat::Bfp4_b), 576U);
    EXPECT_EQ(tile_size(DataFormat::Float16_b), 2048U);
    EXPECT_EQ(tile_size(DataFormat::Int8), 1024U);
}

TEST(CircularBufferNames, AgreeByNumberAndByRole) {
    EXPECT_EQ(CB::c_out0, static_cast<int>(CBIndex::c_16));
    EXPECT_EQ(CB::c_intermed7, static_cast<int>(CBIndex::c_31));
    EXPECT_EQ(CB::dataflow3, static_cast<int>(CBIndex::c_11));
}

TEST(MeshCoordinateRange, IsIteratedRowByRow) {
    using distributed::MeshCoordinate;
    const distributed::MeshCoordinateRange range(distributed::MeshShape(2, 2));

    EXPECT_THAT(std::vector<MeshCoordinate>(range.begin(), range.end()),
                ElementsAre(MeshCoordinate(0, 0), MeshCoordinate(0, 1), MeshCoordinate(1, 0),
                            MeshCoordinate(1, 1)));
    EXPECT_TRUE(range.contains(MeshCoordinate(1, 0)));
    EXPECT_EQ(MeshCoordinate(1, 0).to_linear_index(distributed::MeshShape(2, 4)), 4U);
    EXPECT_EQ(fmt::format("{}", MeshCoordinate(1, 0)), "MeshCoordinate([1, 0])");
}

TEST(EnumNames, ArePrintedAsTheVendorsProgramsExpect) {
    std::ostringstream stream;
    stream << DataFormat::Bfp8_b;

    EXPECT_EQ(stream.str(), "Bfp8_b");
    EXPECT_EQ(fmt::format("{}", DataFormat::Float16_b), "Float16_b");
    EXPECT_EQ(magic_enum::enum_name(ARCH::BLACKHOLE), "BLACKHOLE");
    EXPECT_THAT(magic_enum::enum_values<ARCH>(), SizeIs(6));
    EXPECT_EQ(magic_enum::enum_cast<ARCH>("WORMHOLE_B0"), ARCH::WORMHOLE_B0);
}

TEST(Rounding, GoesToMultiples) {
    EXPECT_EQ(div_up(10U, 4), 3U);
    EXPECT_EQ(round_up(10, 4), 12);
    EXPECT_EQ(round_down(10, 4), 8);
    EXPECT_EQ(align(33U, 32), 64U);
}

}  // namespace
}  // namespace tt::tt_metal
