// SPDX-License-Identifier: Apache-2.0
// Reads of the input and of the bias.
#pragma once

#include <cstdint>

#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using tessera::ops::linear::kRowsOfTile;
using tessera::ops::linear::kTileRowBytes;

// Zeros after the last element of a row: K is padded to whole tiles.
void clear_tail(uint32_t l1_addr, uint32_t length, uint32_t end) {
    auto* halves = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(l1_addr);
    for (uint32_t at = length; at < end; at += sizeof(uint16_t)) {
        halves[at / sizeof(uint16_t)] = 0;
    }
}

// Part of K of a tile row of the input.
struct RowPart {
    uint32_t first_row;
    uint32_t first_k;  // tiles
    uint32_t num_k;
};

// Reads rows that are `stride` bytes apart in L1. Rows that are not there keep what L1 has: they
// are computed from their own elements alone and not stored.
template <class Accessor, class Args>
void read_rows(const Accessor& rows, const Args& args, const RowPart& part, uint32_t l1_addr,
               uint32_t stride) {
    const uint32_t count = smaller(kRowsOfTile, args.rows - part.first_row);
    const uint32_t start = part.first_k * kTileRowBytes;
    const uint32_t wanted = part.num_k * kTileRowBytes;
    const uint32_t length = smaller(wanted, args.row_bytes - start);
    for (uint32_t row = 0; row < count; ++row) {
        noc_async_read(rows.get_noc_addr(part.first_row + row, start), l1_addr, length);
        if (length < wanted) {
            clear_tail(l1_addr, length, wanted);
        }
        l1_addr += stride;
    }
}

// Row 0 of a tile for each of `count` columns of tiles. Its two faces have 32 bytes each, which
// reads from DRAM may not start at: both are read to the left face, and the core moves the second
// half. `pages`: those of the buffer.
template <class Accessor>
void push_bias(const Accessor& bias, uint32_t cb, uint32_t columns, uint32_t first_tile,
               uint32_t count, uint32_t pages) {
    constexpr uint32_t kFaceWords = 128;
    constexpr uint32_t kTileWords = 4 * kFaceWords;
    constexpr uint32_t kHalfWords = kTileRowBytes / 8;
    cb_reserve_back(cb, pages);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
    for (uint32_t c = 0; c < count; ++c) {
        const uint32_t first = (first_tile + c) * kTileRowBytes;
        noc_async_read(bias.get_noc_addr(0, first), get_write_ptr(cb) + c * kTileWords * 4,
                       smaller(kTileRowBytes, 2 * columns - first));
    }
    noc_async_read_barrier();
    for (uint32_t c = 0; c < count; ++c) {
        for (uint32_t i = 0; i < kHalfWords; ++i) {
            words[c * kTileWords + kFaceWords + i] = words[c * kTileWords + kHalfWords + i];
        }
    }
    cb_push_back(cb, pages);
}

}  // namespace
