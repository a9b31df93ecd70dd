// SPDX-License-Identifier: Apache-2.0
// Operands that the reader adds to 4-bit codes: scales of mxfp4 as exponents of bfp8_b tiles, those
// of nvfp4 as tiles of e4m3, zero points as tiles of e4m3 codes, and the tiles that sort the columns
// of rows.
#pragma once

#include "block_scales.hpp"
#include "tile_rows.hpp"

namespace {

constexpr uint32_t cb_exponents = index_of(Cb::Exponents);
constexpr uint32_t cb_zero_points = index_of(Cb::ZeroPoints);
constexpr uint32_t cb_held_zero_points = index_of(Cb::HeldZeroPoints);
constexpr uint32_t cb_sorters = index_of(Cb::Sorters);

inline tt_l1_ptr uint8_t* bytes_at(uint32_t l1_addr) {
    return reinterpret_cast<tt_l1_ptr uint8_t*>(l1_addr);
}

// One byte for each block of K, of each column of a unit's tiles: a page of the tensor a column.
template <class Accessor>
struct HeldBytes {
    const Accessor& tensor;
    const ReaderArgs& args;
    uint32_t cb;

    void hold(uint32_t expert, uint32_t column, uint32_t columns) const {
        const uint32_t first = column * tile_height;
        const uint32_t count = smaller(columns * tile_height, args.columns - first);
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_read(tensor.get_noc_addr(expert * args.columns + first + i),
                           get_write_ptr(cb) + i * held_stride(args.weight_blocks),
                           args.weight_blocks);
        }
        noc_async_read_barrier();
    }
    uint8_t of(uint32_t place, uint32_t block) const {
        return bytes_at(get_write_ptr(cb) + place * held_stride(args.weight_blocks))[block];
    }
};

// Pushes a tile of scales for each of `columns` columns and `count` pairs of K tiles. `put` writes a
// tile.
template <class Put>
void push_scale_tiles(const ReaderArgs& args, uint32_t tile_bytes, uint32_t count, uint32_t columns,
                      const Put& put) {
    const uint32_t pages = args.k_block / 2 * args.strip;
    cb_reserve_back(cb_exponents, pages);
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t c = 0; c < columns; ++c) {
            put(get_write_ptr(cb_exponents) + (k * args.strip + c) * tile_bytes, k, c);
        }
    }
    cb_push_back(cb_exponents, pages);
}

// Scales of e8m0, 2^(code − 127). The exponent of 16 elements of a bfp8_b tile is a byte too. All
// magnitudes are 1.0, and a byte that is larger by 6 compensates for codes that are e4m3 of 2^-6
// each.
template <class Accessor>
struct MicroScales {
    static constexpr uint32_t kTileBytes = 1088;
    static constexpr uint32_t kExponentBytes = 64;
    static constexpr uint32_t kOne = 127;
    static constexpr uint32_t kE2m1Exponent = 6;
    HeldBytes<Accessor> held;

    // Magnitudes of all tiles that the circular buffer has; only exponents change.
    void fill_magnitudes(uint32_t num_tiles) const {
        fill_words(words_at(get_write_ptr(cb_exponents)), num_tiles * kTileBytes / 4, 0x40404040);
    }
    // Reads them for tiles of 64 columns of K, from `first` on; `column` is that of the unit.
    void push(uint32_t first, uint32_t count, uint32_t column, uint32_t columns) const {
        push_scale_tiles(held.args, kTileBytes, count, columns,
                         [&](uint32_t l1_addr, uint32_t k, uint32_t c) {
                             put(l1_addr, first + k, c, column + c);
                         });
    }

private:
    void put(uint32_t l1_addr, uint32_t k, uint32_t c, uint32_t column) const {
        const bool is_whole =
            (column + 1) * tile_height <= held.args.columns && 2 * k + 1 < held.args.weight_blocks;
        if (is_whole) {
            put_whole(words_at(l1_addr), k, c);
        } else {
            put_partial(bytes_at(l1_addr), k, c, column);
        }
    }
    // Four rows at a time: a halfword has the scales of a row's left and right face.
    void put_whole(tt_l1_ptr uint32_t* exponents, uint32_t k, uint32_t c) const {
        const uint32_t stride = held_stride(held.args.weight_blocks);
        uint32_t at = get_write_ptr(held.cb) + c * tile_height * stride + 2 * k;
        for (uint32_t i = 0; i < tile_height / 4; ++i) {
            uint32_t row[4];
            for (uint32_t j = 0; j < 4; ++j) {
                row[j] = *reinterpret_cast<const tt_l1_ptr uint16_t*>(at);
                at += stride;
            }
            const uint32_t left = (row[0] & 0xFF) | (row[1] & 0xFF) << 8 | (row[2] & 0xFF) << 16 |
                                  (row[3] & 0xFF) << 24;
            const uint32_t right =
                row[0] >> 8 | (row[1] & 0xFF00) | (row[2] & 0xFF00) << 8 | (row[3] & 0xFF00) << 16;
            // Sixteen rows of a face are four words; those of the right face follow the left one's.
            tt_l1_ptr uint32_t* words = exponents + i / 4 * 8 + i % 4;
            words[0] = left + kE2m1Exponent * 0x01010101;
            words[4] = right + kE2m1Exponent * 0x01010101;
        }
    }
    // At the edges: missing scales are 1.
    void put_partial(tt_l1_ptr uint8_t* exponents, uint32_t k, uint32_t c, uint32_t column) const {
        for (uint32_t i = 0; i < tile_height; ++i) {
            const bool is_there = column * tile_height + i < held.args.columns;
            // Exponents of a row: of its left face, and 16 further that of its right one.
            tt_l1_ptr uint8_t* row = exponents + i / 16 * 32 + i % 16;
            for (uint32_t half = 0; half < 2; ++half) {
                const uint32_t block = 2 * k + half;
                const uint32_t code = is_there && block < held.args.weight_blocks
                                          ? held.of(c * tile_height + i, block)
                                          : kOne;
                row[half * 16] = (uint8_t)(code + kE2m1Exponent);
            }
        }
    }
};

// Scales of e4m3: four codes a row for 64 columns of K, in the first columns of a tile.
template <class Accessor>
struct E4m3Scales {
    static constexpr uint32_t kBlocks = 4;
    HeldBytes<Accessor> held;

    // All tiles that the circular buffer has; only the first columns change.
    void fill_zeros(uint32_t num_tiles) const {
        fill_words(words_at(get_write_ptr(cb_exponents)), num_tiles * kByteTile / 4, 0);
    }
    // Reads them for tiles of 64 columns of K, from `first` on; `column` is that of the unit.
    void push(uint32_t first, uint32_t count, uint32_t column, uint32_t columns) const {
        push_scale_tiles(
            held.args, kByteTile, count, columns, [&](uint32_t l1_addr, uint32_t k, uint32_t c) {
                put(words_at(l1_addr), first + k, c,
                    smaller(tile_height, held.args.columns - (column + c) * tile_height));
            });
    }

private:
    // Rows after the last column of the output and blocks after the last one of K have codes of 0.
    void put(tt_l1_ptr uint32_t* tile, uint32_t k, uint32_t c, uint32_t rows) const {
        const uint32_t left = smaller(kBlocks, held.args.weight_blocks - k * kBlocks);
        const uint32_t kept = left == kBlocks ? 0xFFFFFFFF : (1u << 8 * left) - 1;
        const uint32_t stride = held_stride(held.args.weight_blocks);
        uint32_t at = get_write_ptr(held.cb) + c * tile_height * stride + k * kBlocks;
        for (uint32_t i = 0; i < tile_height; ++i) {
            tile[i / 16 * 128 + i % 16 * 4] = i < rows ? words_at(at)[0] & kept : 0;
            at += stride;
        }
    }
};

// Pushes a tile whose rows hold minus the zero point of their column in e4m3: the product of rows
// with it subtracts the contribution of the zero points from a sum.
template <class Accessor>
struct ZeroPoints {
    static constexpr uint32_t kMiddle = 8;
    HeldBytes<Accessor> held;

    // Without an operand all tiles that the circular buffer has are the same for good.
    void fill_middles(uint32_t num_tiles) const {
        fill_words(words_at(get_write_ptr(cb_zero_points)), num_tiles * kByteTile / 4,
                   (0x80 | kMiddle) * 0x01010101);
    }
    void push(uint32_t block, uint32_t columns) const {
        const ReaderArgs& args = held.args;
        cb_reserve_back(cb_zero_points, args.strip);
        if (args.has_zero_points != 0) {
            // The second half of the last columns may not exist.
            const uint32_t own =
                smaller(block * args.block_tiles / args.scale_tiles, args.weight_blocks - 1);
            for (uint32_t c = 0; c < columns; ++c) {
                put(words_at(get_write_ptr(cb_zero_points)) + c * kByteTile / 4, c, own);
            }
        }
        cb_push_back(cb_zero_points, args.strip);
    }

private:
    void put(tt_l1_ptr uint32_t* tile, uint32_t c, uint32_t own) const {
        const uint32_t stride = held_stride(held.args.weight_blocks);
        uint32_t at = get_write_ptr(held.cb) + c * tile_height * stride + own;
        for (uint32_t i = 0; i < tile_height; ++i) {
            const uint32_t word = (0x80 | bytes_at(at)[0]) * 0x01010101;
            tt_l1_ptr uint32_t* row = tile + i / 16 * 128 + i % 16 * 4;
            fill_words(row, 4, word);
            fill_words(row + 64, 4, word);
            at += stride;
        }
    }
};

// Pushes four tiles (N, K) of zeros and ones. They move the columns of two adjacent tiles to the
// even ones, from the left tile and from the right one, and to the odd ones. With e4m3 scales there
// is one more, whose row r is 64 in columns 8r to 8r + 7: codes are e4m3 of 2^-6 each.
inline void push_sorters(bool has_scales) {
    constexpr uint32_t kTileWords = 512;
    constexpr uint32_t kOneInWord[2] = {0x00003F80, 0x3F800000};  // for an even and an odd column
    constexpr uint32_t kTwoSixtyFours = 0x42804280;
    const uint32_t tiles = kSorters + (has_scales ? 1 : 0);
    cb_reserve_back(cb_sorters, tiles);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_sorters));
    fill_words(words, tiles * kTileWords, 0);
    for (uint32_t r = 0; has_scales && r < 4; ++r) {
        fill_words(words + kSorters * kTileWords + r / 2 * 128 + r * 8 + r % 2 * 4, 4,
                   kTwoSixtyFours);
    }
    for (uint32_t tile = 0; tile < kSorters; ++tile) {
        for (uint32_t i = 0; i < 16; ++i) {
            // Rows of the upper faces are of the left tile. Row i takes columns 2i and 2i + 1.
            const uint32_t face = tile % 2 * 256 + i / 8 * 128;
            words[tile * kTileWords + face + i * 8 + i % 8] = kOneInWord[tile / 2];
        }
    }
    cb_push_back(cb_sorters, tiles);
}

}  // namespace
