// SPDX-License-Identifier: Apache-2.0
// Scales that apply to part of a sum or to some columns. For each K block there is a tile with the
// scales of a unit's columns in row 0, and one with those of its rows in column 0.
#pragma once

#include "../../fp8_blocks/kernels/scale_rule.hpp"
#include "product_args.hpp"
#include "table_words.hpp"

namespace {

using namespace tessera::ops::row_products;
using tessera::ops::index_of;

constexpr uint32_t cb_row_scales = index_of(Cb::RowScales);
constexpr uint32_t cb_column_scales = index_of(Cb::ColumnScales);
constexpr uint32_t cb_held_rows = index_of(Cb::HeldRowScales);
constexpr uint32_t cb_held_columns = index_of(Cb::HeldColumnScales);
constexpr uint32_t cb_held_factor = index_of(Cb::HeldFactor);

// Bytes between what is held of neighbouring rows or columns.
inline uint32_t held_stride(uint32_t bytes) {
    return (bytes + 63) / 64 * 64;
}

// An unsigned code of 4 bits is the e4m3 code of code * 2^-9; scales of columns make up for it.
constexpr uint32_t kUInt4Exponent = 9u << 23;

template <class Rows, class Experts, class Factors>
struct BlockScales {
    static constexpr uint32_t kSide = tt::constants::TILE_HEIGHT;
    static constexpr uint32_t kOne = 0x3F800000;

    const Rows& rows;        // (R, row_blocks)
    const Experts& experts;  // (E, n_scales, weight_blocks)
    const Factors& factors;  // (E)
    RowForm row_form;
    bool has_weights;
    const ReaderArgs& args;

    // Keeps the scales of 32 rows of activations; kNobody for missing rows.
    void hold_rows(const uint32_t* sources) const {
        const uint32_t held = get_write_ptr(cb_held_rows);
        for (uint32_t i = 0; i < (row_form == RowForm::OneRow ? 1 : kSide); ++i) {
            if (row_form == RowForm::OneRow ||
                (row_form == RowForm::EachRow && sources[i] != kNobody)) {
                noc_async_read(rows.get_noc_addr(row_form == RowForm::OneRow ? 0 : sources[i]),
                               held + i * held_stride(args.row_blocks * 4), args.row_blocks * 4);
            }
        }
        noc_async_read_barrier();
    }
    // Holds the scales of tiles [column, column + columns) of an expert's output.
    void hold_columns(uint32_t expert, uint32_t column, uint32_t columns) const {
        if (args.has_factors != 0) {
            hold_word(factors, expert, get_write_ptr(cb_held_factor));
        }
        const uint32_t held = get_write_ptr(cb_held_columns);
        const uint32_t bytes = args.weight_blocks * args.scale_bytes;
        const uint32_t first = place_of(column * kSide);
        const uint32_t end = place_of((column + columns) * kSide - 1) + 1;
        if (has_weights && args.scales_in_a_page != 0) {
            hold_word(experts, expert, held);
            return;
        }
        for (uint32_t place = first; has_weights && place < end; ++place) {
            noc_async_read(experts.get_noc_addr(expert * args.n_scales + place),
                           held + (place - first) * held_stride(bytes), bytes);
        }
        noc_async_read_barrier();
    }
    // Pushes the scale tiles of one block of K.
    void push(uint32_t block, const uint32_t* sources, uint32_t column, uint32_t columns) const {
        if (has_weights) {
            cb_reserve_back(cb_column_scales, args.strip);
            for (uint32_t c = 0; c < columns; ++c) {
                put_columns(words_at(get_write_ptr(cb_column_scales)) + c * kSide * kSide,
                            (column + c) * kSide, place_of(column * kSide), block);
            }
            cb_push_back(cb_column_scales, args.strip);
        }
        if (row_form != RowForm::None || args.has_factors != 0) {
            cb_reserve_back(cb_row_scales, 1);
            put_rows(words_at(get_write_ptr(cb_row_scales)), sources, block);
            cb_push_back(cb_row_scales, 1);
        }
    }

private:
    // The number of one expert, which may be at any word of a page of all.
    template <class Numbers>
    void hold_word(const Numbers& numbers, uint32_t expert, uint32_t held) const {
        constexpr uint32_t kAlignedWords = 16;
        const uint32_t start = expert / kAlignedWords * kAlignedWords;
        const uint32_t left = args.num_experts - start;
        noc_async_read(numbers.get_noc_addr(0, start * 4), held,
                       (left < kAlignedWords ? left : kAlignedWords) * 4);
        noc_async_read_barrier();
        words_at(held)[0] = words_at(held)[expert - start];
    }
    // Returns the index of a column's scale; columns beyond the last one use its scale.
    uint32_t place_of(uint32_t column) const {
        uint32_t place = column / args.n_each;
        if (args.n_parts != 1) {
            const uint32_t part = column / args.part_columns;
            place = part * args.part_scales + column % args.part_columns / args.n_each;
        }
        return place < args.n_scales ? place : args.n_scales - 1;
    }
    uint32_t held_scale(uint32_t place, uint32_t own) const {
        const uint32_t at = get_write_ptr(cb_held_columns) +
                            place * held_stride(args.weight_blocks * args.scale_bytes);
        if (args.scale_bytes == 4) {
            return words_at(at)[own];
        }
        return (uint32_t) reinterpret_cast<const tt_l1_ptr uint16_t*>(at)[own] << 16;
    }
    // Fills row 0 of a tile: 16 words of the first face, 16 of the second.
    void put_columns(tt_l1_ptr uint32_t* tile, uint32_t first_column, uint32_t first_place,
                     uint32_t block) const {
        // The second half of the last columns of packed codes may not exist.
        const uint32_t last = args.weight_blocks - 1;
        const uint32_t asked = last == 0 ? 0 : block * args.block_tiles / args.scale_tiles;
        const uint32_t own = asked < last ? asked : last;
        const uint32_t place = place_of(first_column) - first_place;
        if (args.n_each == 1) {
            const uint32_t left = args.n_scales - first_column;
            put_each(tile, place, left < kSide ? left : kSide, own);
            return;
        }
        // Most tiles are within one block of columns: one scale is read for all.
        if (place_of(first_column + kSide - 1) - first_place == place) {
            const uint32_t scale = scale_of_sums(place, own);
            fill_words(tile, 16, scale);
            fill_words(tile + 256, 16, scale);
            return;
        }
        for (uint32_t j = 0; j < kSide; ++j) {
            tile[j / 16 * 256 + j % 16] =
                scale_of_sums(place_of(first_column + j) - first_place, own);
        }
    }
    // One scale a column, from `place` on: 16 words of each of two faces.
    void put_each(tt_l1_ptr uint32_t* tile, uint32_t place, uint32_t count, uint32_t own) const {
        const uint32_t first_face = count < 16 ? count : 16;
        if (args.scale_bytes != 4) {
            put_halves(tile, place, first_face, own);
            put_halves(tile + 256, place + 16, count - first_face, own);
            return;
        }
        for (uint32_t j = 0; j < count; ++j) {
            tile[j / 16 * 256 + j % 16] = scale_of_sums(place + j, own);
        }
    }
    // The same of bfloat16, which scales of codes of 4 bits have: no decision for each word but
    // whether it is 0.
    void put_halves(tt_l1_ptr uint32_t* words, uint32_t place, uint32_t count, uint32_t own) const {
        const uint32_t stride = held_stride(args.weight_blocks * args.scale_bytes);
        uint32_t at = get_write_ptr(cb_held_columns) + place * stride + own * 2;
        for (uint32_t j = 0; j < count; ++j) {
            const uint32_t scale = *reinterpret_cast<const tt_l1_ptr uint16_t*>(at);
            words[j] = (scale & 0x7F80) == 0 ? 0 : (scale << 16) + kUInt4Exponent;
            at += stride;
        }
    }
    uint32_t scale_of_sums(uint32_t place, uint32_t own) const {
        const uint32_t scale = held_scale(place, own);
        const bool is_packed = static_cast<WeightForm>(args.weight_form) != WeightForm::Numbers;
        return is_packed && (scale & 0x7F800000) != 0 ? scale + kUInt4Exponent : scale;
    }
    // Multiplies a scale with the number of the expert.
    uint32_t times_factor(uint32_t scale) const {
        if (args.has_factors == 0) {
            return scale;
        }
        scale_rule::FloatWord word;
        scale_rule::FloatWord factor;
        word.bits = scale;
        factor.bits = words_at(get_write_ptr(cb_held_factor))[0];
        word.value *= factor.value;
        return word.bits;
    }
    // Fills column 0 of a tile.
    void put_rows(tt_l1_ptr uint32_t* tile, const uint32_t* sources, uint32_t block) const {
        const tt_l1_ptr uint32_t* held = words_at(get_write_ptr(cb_held_rows));
        const uint32_t own = args.row_blocks == 1 ? 0 : block;
        for (uint32_t i = 0; i < kSide; ++i) {
            const uint32_t place = row_form == RowForm::OneRow ? 0 : i;
            const uint32_t scale = row_form == RowForm::None
                                       ? kOne
                                       : held[place * held_stride(args.row_blocks * 4) / 4 + own];
            tile[i / 16 * 512 + i % 16 * 16] = sources[i] == kNobody ? 0 : times_factor(scale);
        }
    }
};

}  // namespace
