// SPDX-License-Identifier: Apache-2.0
// Converts 4-bit codes to numbers of the matrix unit, for weights with two columns per byte.
//
// Even and odd columns become separate tiles (code_words.hpp), and rows are sorted in the same way.
// e2m1 is then multiplied by its scales, which is exact in bfloat16.
#pragma once

#include "../../kernels/code_words.hpp"
#include "../../kernels/tile_moves.hpp"
#include "product_args.hpp"

namespace {

using namespace tessera::ops::row_products;
using tessera::ops::index_of;

constexpr uint32_t cb_sorted_tiles = index_of(Cb::Tiles);
constexpr uint32_t cb_plain_tiles = index_of(Cb::PlainTiles);
constexpr uint32_t cb_sorters = index_of(Cb::Sorters);
constexpr uint32_t cb_packed = index_of(Cb::Weights);
constexpr uint32_t cb_code_words = index_of(Cb::CodeWords);
constexpr uint32_t cb_code_bytes = index_of(Cb::CodeBytes);
constexpr uint32_t cb_exponents = index_of(Cb::Exponents);
constexpr uint32_t cb_mx_numbers = index_of(Cb::Numbers);

inline WeightForm form_of(const ComputeArgs& args) {
    return static_cast<WeightForm>(args.weight_form);
}

// Circular buffer from which the matrix unit reads the weights.
inline uint32_t cb_of_numbers(WeightForm form) {
    return form == WeightForm::Numbers ? cb_packed
           : form == WeightForm::UInt4 ? cb_code_bytes
                                       : cb_mx_numbers;
}

// Tile of K tile `k` of a push in the first column.
inline uint32_t place_of_numbers(const ComputeArgs& args, WeightForm form, uint32_t k) {
    if (form != WeightForm::UInt4) {
        return k * args.strip;
    }
    const uint32_t odd = word_tiles(args.k_block, args.strip) * kByteTilesInWords;
    return k % 2 * odd + k / 2 * args.strip;
}

// Sorted tiles of a K tile of rows.
inline uint32_t sorted_each(const ComputeArgs& args) {
    return are_halved(form_of(args), args.block_tiles) ? 2 : 1;
}

// Puts two tiles of rows into four: columns of the left tile, then of the right one; even and odd
// ones of each.
inline void sort_halves(uint32_t left) {
    tile_regs_acquire();
    for (uint32_t half = 0; half < 2; ++half) {
        matmul_block(cb_plain_tiles, cb_sorters, left + half, half, 2 * half, 1, 1, 1, 1);
        matmul_block(cb_plain_tiles, cb_sorters, left + half, 2 + half, 2 * half + 1, 1, 1, 1, 1);
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < 4; ++tile) {
        pack_tile<true>(tile, cb_sorted_tiles, 2 * left + tile);
    }
    tile_regs_release();
}

// Products with tiles of zeros and ones: exact with HiFi4.
inline void sort_columns(const ComputeArgs& args) {
    const uint32_t sorted = args.k_chunk * sorted_each(args);
    cb_wait_front(cb_sorters, kSorters);
    cb_wait_front(cb_plain_tiles, args.k_chunk);
    cb_reserve_back(cb_sorted_tiles, sorted);
    reconfig_data_format(cb_sorters, cb_plain_tiles);
    pack_reconfig_data_format(cb_sorted_tiles);
    mm_block_init_short(cb_plain_tiles, cb_sorters, 1, 1, 1, 1);
    for (uint32_t left = 0; left < args.k_chunk; left += 2) {
        if (sorted != args.k_chunk) {
            sort_halves(left);
            continue;
        }
        tile_regs_acquire();
        for (uint32_t odd = 0; odd < 2; ++odd) {
            matmul_block(cb_plain_tiles, cb_sorters, left, 2 * odd, odd, 1, 1, 1, 1);
            matmul_block(cb_plain_tiles, cb_sorters, left + 1, 2 * odd + 1, odd, 1, 1, 1, 1);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_sorted_tiles, left);
        pack_tile<true>(1, cb_sorted_tiles, left + 1);
        tile_regs_release();
    }
    cb_push_back(cb_sorted_tiles, sorted);
    cb_pop_front(cb_plain_tiles, args.k_chunk);
}

inline void split_codes(const ComputeArgs& args, WeightForm form) {
    const uint32_t words = word_tiles(args.k_block, args.strip);
    cb_wait_front(cb_packed, words);
    cb_reserve_back(cb_code_words, 2 * words);
    init_copy(cb_packed);
    pack_reconfig_data_format(cb_code_words);
    for (uint32_t tile = 0; tile < words; ++tile) {
        tile_regs_acquire();
        copy_tile(cb_packed, tile, 0);
        copy_tile(cb_packed, tile, 1);
        if (form == WeightForm::UInt4) {
            split_uint4();
        } else {
            split_e2m1(cb_packed, tile);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_code_words, tile);
        pack_tile<true>(1, cb_code_words, words + tile);
        tile_regs_release();
    }
    cb_pop_front(cb_packed, words);
    cb_push_back(cb_code_words, 2 * words);
    // The same memory as tiles of e4m3.
    cb_reserve_back(cb_code_bytes, 2 * words * kByteTilesInWords);
    cb_push_back(cb_code_bytes, 2 * words * kByteTilesInWords);
    cb_wait_front(cb_code_words, 2 * words);
    cb_wait_front(cb_code_bytes, 2 * words * kByteTilesInWords);
}

inline void pop_codes(const ComputeArgs& args) {
    const uint32_t words = word_tiles(args.k_block, args.strip);
    cb_pop_front(cb_code_words, 2 * words);
    cb_pop_front(cb_code_bytes, 2 * words * kByteTilesInWords);
}

// DST[2] = the scales of a tile of weights: as they are, or the product that brings each of the
// first four columns to the eight columns that share it.
inline void put_scales(WeightForm form, uint32_t tile) {
    if (form == WeightForm::Mxfp4) {
        copy_to(cb_exponents, tile, 2);
        return;
    }
    reconfig_data_format(cb_sorters, cb_exponents);
    mm_block_init_short(cb_exponents, cb_sorters, 0, 1, 1, 1);
    matmul_block(cb_exponents, cb_sorters, tile, kSorters, 2, 0, 1, 1, 1);
}

inline void apply_micro_scales(const ComputeArgs& args, WeightForm form, uint32_t count,
                               uint32_t columns) {
    const uint32_t odd = word_tiles(args.k_block, args.strip) * kByteTilesInWords;
    const uint32_t pages = args.k_block * args.strip;
    cb_wait_front(cb_exponents, pages / 2);
    if (form == WeightForm::Nvfp4) {
        cb_wait_front(cb_sorters, kSorters + 1);
    }
    cb_reserve_back(cb_mx_numbers, pages);
    pack_reconfig_data_format(cb_mx_numbers);
    for (uint32_t k = 0; k < count / 2; ++k) {
        for (uint32_t column = 0; column < columns; ++column) {
            const uint32_t tile = k * args.strip + column;
            tile_regs_acquire();
            put_scales(form, tile);
            copy_to(cb_code_bytes, tile, 0);
            copy_tile(cb_code_bytes, odd + tile, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 2, 0);
            mul_binary_tile(1, 2, 1);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, cb_mx_numbers, 2 * k * args.strip + column);
            pack_tile<true>(1, cb_mx_numbers, (2 * k + 1) * args.strip + column);
            tile_regs_release();
        }
    }
    cb_pop_front(cb_exponents, pages / 2);
    cb_push_back(cb_mx_numbers, pages);
    cb_wait_front(cb_mx_numbers, pages);
}

// The next push of weights, as numbers in cb_of_numbers.
inline void wait_numbers(const ComputeArgs& args, WeightForm form, uint32_t count,
                         uint32_t columns) {
    if (form == WeightForm::Numbers) {
        cb_wait_front(cb_packed, args.k_block * args.strip);
        return;
    }
    // Sums of the push before are added in L1; codes and numbers are not.
    pack_reconfig_l1_acc(0);
    split_codes(args, form);
    if (is_e2m1(form)) {
        apply_micro_scales(args, form, count, columns);
        pop_codes(args);
    }
}

inline void pop_numbers(const ComputeArgs& args, WeightForm form) {
    if (form == WeightForm::UInt4) {
        pop_codes(args);
        return;
    }
    cb_pop_front(cb_of_numbers(form), args.k_block * args.strip);
}

}  // namespace
