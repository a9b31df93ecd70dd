// SPDX-License-Identifier: Apache-2.0
// Functions of the readers of pieces.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/filled_tiles.hpp"
#include "args.hpp"

namespace {

constexpr uint32_t cb_rows = tessera::ops::index_of(tessera::ops::quantise::Cb::Rows);

// Bytes of L1 from one address, which may be odd in words, up to another.
void clear(uint32_t from, uint32_t to) {
    for (; from % 4 != 0 && from < to; ++from) {
        *reinterpret_cast<tt_l1_ptr uint8_t*>(from) = 0;
    }
    fill_words(words_at(from), (to - from) / 4, 0);
}

// The factors of the matrix unit's reduction.
void push_ones() {
    constexpr uint32_t cb_ones = tessera::ops::index_of(tessera::ops::quantise::Cb::Ones);
    constexpr uint32_t kTwoOnes = 0x3F803F80;  // bfloat16
    constexpr uint32_t kTileBytes = 2048;
    cb_reserve_back(cb_ones, 1);
    fill_by_noc(get_write_ptr(cb_ones), kTileBytes, kTwoOnes);
    cb_push_back(cb_ones, 1);
}

}  // namespace
