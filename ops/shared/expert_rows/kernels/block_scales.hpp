// SPDX-License-Identifier: Apache-2.0
// Scales that hold for part of a sum or for some columns: a tile with those of a unit's columns in
// row 0, one with those of its rows in column 0, for each block of K.
#pragma once

#include "table_words.hpp"

namespace {

constexpr uint32_t cb_row_scales = 10;
constexpr uint32_t cb_column_scales = 11;
constexpr uint32_t cb_held_rows = 13;
constexpr uint32_t cb_held_columns = 14;

enum RowForm : uint32_t { kNoRows, kEachRow, kOneRow };

// Returns the bytes between the scales of neighbouring rows or columns.
inline uint32_t held_stride(uint32_t blocks) {
    return (blocks * 4 + 63) / 64 * 64;
}

template <class Rows, class Experts>
struct BlockScales {
    static constexpr uint32_t kSide = tt::constants::TILE_HEIGHT;

    const Rows& rows;        // (R, row_blocks)
    const Experts& experts;  // (E, n_scales, weight_blocks)
    uint32_t row_form;
    bool has_weights;
    uint32_t n_each;    // columns that share a scale
    uint32_t n_scales;  // along N
    uint32_t weight_blocks;
    uint32_t row_blocks;
    uint32_t strip;

    // Holds the scales of 32 rows of activations, kNobody where there is none.
    void hold_rows(const uint32_t* sources) const {
        const uint32_t held = get_write_ptr(cb_held_rows);
        for (uint32_t i = 0; i < (row_form == kOneRow ? 1 : kSide); ++i) {
            if (row_form == kOneRow || (row_form == kEachRow && sources[i] != kNobody)) {
                noc_async_read(rows.get_noc_addr(row_form == kOneRow ? 0 : sources[i]),
                               held + i * held_stride(row_blocks), row_blocks * 4);
            }
        }
        noc_async_read_barrier();
    }
    // Holds the scales of tiles [column, column + columns) of an expert's output.
    void hold_columns(uint32_t expert, uint32_t column, uint32_t columns) const {
        const uint32_t held = get_write_ptr(cb_held_columns);
        const uint32_t first = place_of(column * kSide);
        const uint32_t end = place_of((column + columns) * kSide - 1) + 1;
        for (uint32_t place = first; has_weights && place < end; ++place) {
            noc_async_read(experts.get_noc_addr(expert * n_scales + place),
                           held + (place - first) * held_stride(weight_blocks), weight_blocks * 4);
        }
        noc_async_read_barrier();
    }
    // Pushes the scale tiles of one block of K.
    void push(uint32_t block, const uint32_t* sources, uint32_t column, uint32_t columns) const {
        if (has_weights) {
            cb_reserve_back(cb_column_scales, strip);
            for (uint32_t c = 0; c < columns; ++c) {
                put_columns(words_at(get_write_ptr(cb_column_scales)) + c * kSide * kSide,
                            (column + c) * kSide, place_of(column * kSide), block);
            }
            cb_push_back(cb_column_scales, strip);
        }
        if (row_form != kNoRows) {
            cb_reserve_back(cb_row_scales, 1);
            put_rows(words_at(get_write_ptr(cb_row_scales)), sources, block);
            cb_push_back(cb_row_scales, 1);
        }
    }

private:
    // Returns the place of a column's scale; a column beyond the last one has that of the last.
    uint32_t place_of(uint32_t column) const {
        const uint32_t place = column / n_each;
        return place < n_scales ? place : n_scales - 1;
    }
    // Fills row 0 of a tile: 16 words of the first face, 16 of the second.
    void put_columns(tt_l1_ptr uint32_t* tile, uint32_t first_column, uint32_t first_place,
                     uint32_t block) const {
        const tt_l1_ptr uint32_t* held = words_at(get_write_ptr(cb_held_columns));
        const uint32_t own = weight_blocks == 1 ? 0 : block;
        for (uint32_t j = 0; j < kSide; ++j) {
            const uint32_t place = place_of(first_column + j) - first_place;
            tile[j / 16 * 256 + j % 16] = held[place * held_stride(weight_blocks) / 4 + own];
        }
    }
    // Fills column 0 of a tile.
    void put_rows(tt_l1_ptr uint32_t* tile, const uint32_t* sources, uint32_t block) const {
        const tt_l1_ptr uint32_t* held = words_at(get_write_ptr(cb_held_rows));
        const uint32_t own = row_blocks == 1 ? 0 : block;
        for (uint32_t i = 0; i < kSide; ++i) {
            const uint32_t place = row_form == kOneRow ? 0 : i;
            tile[i / 16 * 512 + i % 16 * 16] =
                sources[i] == kNobody ? 0 : held[place * held_stride(row_blocks) / 4 + own];
        }
    }
};

}  // namespace
