// SPDX-License-Identifier: Apache-2.0
// Compute calls on tiny tiles: CBs whose tiles are not 32×32.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using tile::at;
using tile::TileValues;

constexpr std::byte kUntouched{0xA5};

// Returns small integers, exact in every format except the 4-bit block formats.
float value_at(std::uint32_t row, std::uint32_t column) {
    return static_cast<float>((row * 7 + column * 3) % 13) - 6;
}

// Returns the byte of element (row, column) of a bf16 tile. Faces are ordered left to right, then
// down. A face is as high as the tile if the tile has fewer than 16 rows.
std::size_t byte_of(Tile tile, std::uint32_t row, std::uint32_t column) {
    const std::uint32_t face_rows = std::min<std::uint32_t>(tile.get_height(), 16);
    const std::uint32_t face = row / 16 * (tile.get_width() / 16) + column / 16;
    return std::size_t{2} * (face * face_rows * 16 + row % 16 * 16 + column % 16);
}

void put_tile(std::byte* out, Tile tile, float (*value)(std::uint32_t, std::uint32_t)) {
    for (std::uint32_t row = 0; row < tile.get_height(); ++row) {
        for (std::uint32_t column = 0; column < tile.get_width(); ++column) {
            const std::uint16_t bits = tile::bf16_from_float(value(row, column));
            std::memcpy(out + byte_of(tile, row, column), &bits, 2);
        }
    }
}

float value_in(const std::byte* in, Tile tile, std::uint32_t row, std::uint32_t column) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, in + byte_of(tile, row, column), 2);
    return tile::bf16_to_float(bits);
}

class TinyTiles : public ::testing::Test {
protected:
    // Pushes `count` bf16 tiles of one value each to buffer `index` and waits for them.
    void supply(std::uint32_t index, Tile tile, std::uint32_t count,
                float (*value)(std::uint32_t, std::uint32_t) = value_at) {
        core_.add_buffer(index, DataFormat::Float16_b, count, 0, tile);
        for (std::uint32_t i = 0; i < count; ++i) {
            put_tile(core_.page(index, i), tile, value);
        }
        core_.core().circular_buffers[index].pages_received = count;
        cb_wait_front(index, count);
    }
    // Configures buffer 16 for tiles of a shape; bytes after the first tile must not change.
    void receive(Tile tile, DataFormat format = DataFormat::Float16_b) {
        core_.add_buffer(16, format, 2, 0, tile);
        std::fill_n(core_.page(16, 0), 2 * tile.get_tile_size(format), kUntouched);
    }
    // Runs `math` and packs DST tile 0 to buffer 16.
    template <class Math>
    const std::byte* run(Math math) {
        (void)core_.run_to(16, math);
        return core_.page(16, 0);
    }

    ComputeCore core_;
};

struct Shapes {
    Tile in0;
    Tile in1;
    std::uint32_t transpose;
    Tile out;
};

class TinyProducts : public TinyTiles, public ::testing::WithParamInterface<Shapes> {};

TEST_P(TinyProducts, AreThoseOfTheirRowsAndColumns) {
    const auto& [in0, in1, transpose, out] = GetParam();
    supply(0, in0, 1);
    supply(1, in1, 1);
    receive(out);
    mm_init(0, 1, 16, transpose);

    const std::byte* packed = run([] { matmul_tiles(0, 1, 0, 0, 0); });

    for (std::uint32_t row = 0; row < out.get_height(); ++row) {
        for (std::uint32_t column = 0; column < out.get_width(); ++column) {
            float sum = 0;
            for (std::uint32_t k = 0; k < in0.get_width(); ++k) {
                sum += value_at(row, k) *
                       (GetParam().transpose != 0 ? value_at(column, k) : value_at(k, column));
            }
            ASSERT_EQ(value_in(packed, out, row, column), tile::round_to_bf16(sum))
                << row << ", " << column;
        }
    }
    EXPECT_EQ(packed[out.get_tile_size(DataFormat::Float16_b)], kUntouched);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, TinyProducts,
    ::testing::Values(Shapes{Tile({16, 32}), Tile(), 0, Tile({16, 32})},
                      Shapes{Tile({1, 32}), Tile(), 0, Tile({1, 32})},
                      Shapes{Tile({8, 32}), Tile({32, 16}), 0, Tile({8, 16})},
                      Shapes{Tile({32, 16}), Tile({16, 32}), 0, Tile()},
                      Shapes{Tile({16, 32}), Tile({16, 32}), 1, Tile({16, 16})},
                      Shapes{Tile({4, 16}), Tile({32, 16}), 1, Tile({4, 32})}));

TEST_F(TinyTiles, OfABlockProductAreEachMultiplied) {
    const Tile half({16, 32});
    supply(0, half, 2);
    core_.supply(1, std::vector<TileValues>(2, tile::make_tile([](auto row, auto column) {
                                                return row == column ? 2 : 0;
                                            })));
    core_.add_buffer(16, DataFormat::Float16_b, 8, 0, half);
    mm_block_init(0, 1, 16, 0, 2, 2, 1);

    tile_regs_acquire();
    matmul_block(0, 1, 0, 0, 0, 0, 2, 2, 1);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(16, 4);
    pack_tile_block(0, 16, 4);
    tile_regs_release();

    for (std::uint32_t page = 0; page < 4; ++page) {
        EXPECT_EQ(value_in(core_.page(16, page), half, 15, 31), 2 * value_at(15, 31));
    }
}

struct Copied {
    Tile tile;
    DataFormat format;
};

class CopiesOfTinyTiles : public TinyTiles, public ::testing::WithParamInterface<Copied> {};

// Output bytes equal input bytes: an element or exponent at a wrong offset would move.
TEST_P(CopiesOfTinyTiles, KeepEveryByte) {
    const auto& [tile, format] = GetParam();
    const std::uint32_t size = tile.get_tile_size(format);
    core_.add_buffer(0, format, 1, 0, tile);
    receive(tile, format);
    const std::uint32_t exponents = tile.exponent_bytes(format);
    for (std::uint32_t i = 0; i < size; ++i) {
        // Exponents near 127; magnitudes with their leading bit, which packing keeps.
        const std::uint32_t magnitude = format == DataFormat::Bfp4_b ? 0x44U : 0x40U;
        core_.page(0, 0)[i] = std::byte(i < exponents ? 120 + i % 16 : magnitude + i % 2);
    }
    core_.core().circular_buffers[0].pages_received = 1;
    cb_wait_front(0, 1);
    unary_op_init_common(0, 16);

    const std::byte* packed = run([] { copy_tile(0, 0, 0); });

    // The exponents, one per face row, are padded to 16 bytes.
    EXPECT_EQ(std::memcmp(packed, core_.page(0, 0), exponents == 0 ? 0 : tile.get_tile_hw() / 16),
              0);
    EXPECT_EQ(std::memcmp(packed + exponents, core_.page(0, 0) + exponents, size - exponents), 0);
    EXPECT_EQ(packed[size], kUntouched);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CopiesOfTinyTiles,
                         ::testing::Values(Copied{Tile({16, 32}), DataFormat::Float16_b},
                                           Copied{Tile({32, 16}), DataFormat::Float16_b},
                                           Copied{Tile({16, 16}), DataFormat::Fp8_e4m3},
                                           Copied{Tile({2, 32}), DataFormat::Float16_b},
                                           Copied{Tile({16, 32}), DataFormat::Int32},
                                           Copied{Tile({16, 32}), DataFormat::Bfp8_b},
                                           Copied{Tile({4, 32}), DataFormat::Bfp8_b},
                                           Copied{Tile({1, 16}), DataFormat::Bfp8_b},
                                           Copied{Tile({32, 16}), DataFormat::Bfp4_b},
                                           Copied{Tile({8, 32}), DataFormat::Bfp4_b}));

TEST_F(TinyTiles, HaveNoZerosThatWouldBeTheLargestOfARow) {
    const Tile half({16, 32});
    supply(0, half, 1, [](std::uint32_t row, std::uint32_t column) {
        return -1.0F - static_cast<float>(row) - static_cast<float>(column % 2);
    });
    supply(1, half, 1, [](std::uint32_t, std::uint32_t) { return 1.0F; });
    receive(half);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_COL>(0, 1, 16);

    const std::byte* packed =
        run([] { reduce_tile<PoolType::MAX, ReduceDim::REDUCE_COL>(0, 1, 0, 0, 0); });

    EXPECT_EQ(value_in(packed, half, 0, 0), -1.0F);
    EXPECT_EQ(value_in(packed, half, 0, 31), -2.0F);
}

TEST_F(TinyTiles, AreBroadcastAndAddedWhereTheyHaveRows) {
    const Tile half({16, 32});
    supply(0, half, 1);
    supply(1, half, 1, [](std::uint32_t row, std::uint32_t) { return static_cast<float>(row); });
    receive(half);
    binary_op_init_common(0, 1, 16);
    add_bcast_cols_init_short(0, 1);

    const std::byte* packed = run([] { add_tiles_bcast_cols(0, 1, 0, 0, 0); });

    EXPECT_EQ(value_in(packed, half, 15, 31), value_at(15, 31) + 15);
    EXPECT_EQ(packed[1024], kUntouched);
}

TEST_F(TinyTiles, AddUpInL1) {
    const Tile half({16, 32});
    supply(0, half, 1);
    core_.add_buffer(16, DataFormat::Float16_b, 1, 0, half);
    put_tile(core_.page(16, 0), half, [](std::uint32_t, std::uint32_t) { return 100.0F; });
    unary_op_init_common(0, 16);
    pack_reconfig_l1_acc(1);

    const std::byte* packed = run([] { copy_tile(0, 0, 0); });

    EXPECT_EQ(value_in(packed, half, 15, 31), value_at(15, 31) + 100);
}

TEST_F(TinyTiles, AreMadeOfAsManyRowsAsTheyHaveAndGoBackToThem) {
    const Tile half({16, 32});
    core_.add_buffer(0, DataFormat::Float16_b, 2, 0, half);  // 16 rows of 64 elements
    for (std::uint32_t i = 0; i < 16 * 64; ++i) {
        const std::uint16_t bits = tile::bf16_from_float(value_at(i / 64, i % 64));
        std::memcpy(core_.page(0, 0) + 2 * i, &bits, 2);
    }
    core_.core().circular_buffers[0].pages_received = 2;
    cb_wait_front(0, 2);
    core_.add_buffer(1, DataFormat::Float16_b, 2, 0, half);
    core_.add_buffer(16, DataFormat::Float16_b, 2, 0, half);

    tilize_init(0, 2, 1);
    cb_reserve_back(1, 2);
    tilize_block(0, 2, 1);
    cb_push_back(1, 2);
    EXPECT_EQ(value_in(core_.page(1, 1), half, 9, 20), value_at(9, 32 + 20));

    cb_wait_front(1, 2);
    cb_reserve_back(16, 2);
    pack_untilize_init<2>(1, 16);
    pack_untilize_block<2>(1, 1, 16);
    pack_untilize_uninit(16);
    EXPECT_EQ(std::memcmp(core_.page(16, 0), core_.page(0, 0), 2048), 0);

    std::fill_n(core_.page(16, 0), 2048, std::byte{});
    untilize_init(1, 16);
    untilize_block(1, 2, 16);
    EXPECT_EQ(std::memcmp(core_.page(16, 0), core_.page(0, 0), 2048), 0);
}

}  // namespace
}  // namespace tessera
