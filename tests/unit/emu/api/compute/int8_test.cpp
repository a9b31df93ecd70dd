// SPDX-License-Identifier: Apache-2.0
// Tiles of int8: sign and magnitude in memory, int32 in DST.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::fault_of;
using tile::TileValues;

using Words = std::array<std::int32_t, kTileElements>;

std::byte sign_and_magnitude(std::int32_t value) {
    return static_cast<std::byte>(value < 0 ? 0x80 | -value : value);
}

/// Numbers from -127 to 127, in the order of faces.
Words numbers(std::int32_t factor) {
    Words words;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kTileElements); ++i) {
        words[static_cast<std::size_t>(i)] = i * factor % 255 - 127;
    }
    return words;
}

std::int32_t element(const Words& words, std::uint32_t row, std::uint32_t column) {
    return words[tile_offset(row, column)];
}

class Int8 : public ::testing::Test {
protected:
    Int8() {
        for (const auto& [index, words] : {std::pair{0U, a_}, std::pair{1U, b_}}) {
            core_.supply(index, {TileValues{}}, DataFormat::Int8);
            for (std::uint32_t i = 0; i < kTileElements; ++i) {
                core_.page(index, 0)[i] = sign_and_magnitude(words[i]);
            }
        }
        core_.add_buffer(16, DataFormat::Int32);
        core_.add_buffer(17, DataFormat::Int8);
    }

    template <class Math>
    Words run(Math math) {
        const TileValues values = core_.run_to(16, math);
        Words words;
        std::memcpy(words.data(), values.data(), sizeof(words));
        return words;
    }

    const Words a_ = numbers(7);
    const Words b_ = numbers(11);
    ComputeCore core_;
};

TEST_F(Int8, SumsAndProductsAreInt32) {
    binary_op_init_common(0, 1, 16);
    add_tiles_init(0, 1);
    const Words sum = run([] { add_tiles(0, 1, 0, 0, 0); });
    sub_tiles_init(0, 1);
    const Words difference = run([] { sub_tiles(0, 1, 0, 0, 0); });
    mul_tiles_init(0, 1);
    const Words twice = run([] {
        mul_tiles(0, 1, 0, 0, 0);
        mul_tiles(0, 1, 0, 0, 0);  // adds to DST
    });
    for (std::size_t i = 0; i < kTileElements; ++i) {
        ASSERT_EQ(sum[i], a_[i] + b_[i]);
        ASSERT_EQ(difference[i], a_[i] - b_[i]);
        ASSERT_EQ(twice[i], 2 * a_[i] * b_[i]);
    }
}

TEST_F(Int8, ColumnsAreBroadcast) {
    init_bcast<EltwiseBinaryType::ELWADD, BroadcastType::COL>(0, 1, 16);
    const Words sum = run([] { add_tiles_bcast_cols(0, 1, 0, 0, 0); });
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            ASSERT_EQ(element(sum, row, column), element(a_, row, column) + element(b_, row, 0));
        }
    }
}

TEST_F(Int8, MatrixProductsAreExact) {
    mm_init(0, 1, 16);
    const Words product = run([] { matmul_tiles(0, 1, 0, 0, 0); });
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            std::int32_t sum = 0;
            for (std::uint32_t k = 0; k < kTileColumns; ++k) {
                sum += element(a_, row, k) * element(b_, k, column);
            }
            ASSERT_EQ(element(product, row, column), sum);
        }
    }
}

TEST_F(Int8, PackingSaturates) {
    binary_op_init_common(0, 1, 17);
    add_tiles_init(0, 1);
    (void)core_.run_to(17, [] { add_tiles(0, 1, 0, 0, 0); });
    for (std::size_t i = 0; i < kTileElements; ++i) {
        ASSERT_EQ(core_.page(17, 0)[i], sign_and_magnitude(std::clamp(a_[i] + b_[i], -127, 127)));
    }
}

TEST_F(Int8, AnInt8OperandNeedsAnother) {
    core_.supply(2, {TileValues{}});
    binary_op_init_common(0, 2, 16);
    add_tiles_init(0, 2);
    tile_regs_acquire();
    EXPECT_EQ(fault_of([] { add_tiles(0, 2, 0, 0, 0); }),
              "Unsupported: add_tiles of int8 and bfloat16 tiles: both are int8, or neither");
}

TEST_F(Int8, ReductionsTakeNone) {
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16);
    tile_regs_acquire();
    EXPECT_EQ(fault_of([] { reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); }),
              "Unsupported: reduce_tile(cb 0): takes no int8 tiles; copy_tile and "
              "the functions of the vector unit do");
}

}  // namespace
}  // namespace tessera
