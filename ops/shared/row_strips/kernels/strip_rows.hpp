// SPDX-License-Identifier: Apache-2.0
// The reading side of ops along rows: 32 rows at a time, 128 columns a push.
#pragma once

#include "../../kernels/arithmetic.hpp"
#include "../../kernels/fill_l1.hpp"
#include "args.hpp"

namespace {

using tessera::ops::index_of;
using tessera::ops::row_strips::ReaderTensors;
using tessera::ops::row_strips::UnitRange;
using StripCb = tessera::ops::row_strips::Cb;

constexpr uint32_t kCbRows = index_of(StripCb::Rows);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;
constexpr uint32_t kTileWords = 512;  // words of a bfloat16 tile
constexpr uint32_t kFaceHalves = 256;
constexpr uint16_t kOne = 0x3F80;

using Words = volatile tt_l1_ptr uint32_t*;
using Halves = volatile tt_l1_ptr uint16_t*;

struct Rows : tessera::ops::row_strips::RowsArgs {
    // Elements of a row that count.
    uint32_t visible(uint32_t row) const {
        return visible_rows == 0
                   ? columns
                   : smaller(columns, first_visible + row / visible_rows % visible_period);
    }
    void fill_from(uint32_t l1_addr, uint32_t first, uint32_t end) const {
        if (element == sizeof(uint16_t)) {
            auto* halves = reinterpret_cast<Halves>(l1_addr);
            for (uint32_t i = first; i < end; ++i) {
                halves[i] = static_cast<uint16_t>(fill);
            }
            return;
        }
        auto* words = reinterpret_cast<Words>(l1_addr);
        for (uint32_t i = first; i < end; ++i) {
            words[i] = fill;
        }
    }
};

template <class Accessor>
void push_strip(const Accessor& input, const Rows& rows, uint32_t first, uint32_t column) {
    const uint32_t count = smaller(kTileRows, rows.count - first);
    const uint32_t bytes = smaller(kBlock, rows.columns - column) * rows.element;
    cb_reserve_back(kCbRows, kStripTiles);
    const uint32_t l1_addr = get_write_ptr(kCbRows);
    for (uint32_t row = 0; row < count; ++row) {
        noc_async_read(input.get_noc_addr(first + row, column * rows.element),
                       l1_addr + row * kBlock * rows.element, bytes);
    }
    noc_async_read_barrier();
    // Rows that are not there stay what they were: each row is computed from its own elements
    // alone, and these are not stored.
    for (uint32_t row = 0; row < count; ++row) {
        const uint32_t visible = rows.visible(first + row);
        const uint32_t begin = visible < column ? 0 : smaller(kBlock, visible - column);
        rows.fill_from(l1_addr + row * kBlock * rows.element, begin, kBlock);
    }
    cb_push_back(kCbRows, kStripTiles);
}

inline Rows rows_of_arguments() {
    return {tessera::ops::row_strips::RowsArgs::read()};
}

// Returns the place of an element in a tile: faces are 16 by 16, two in a row.
inline uint32_t place_in_tile(uint32_t row, uint32_t column) {
    return (row / 16 * 2 + column / 16) * kFaceHalves + row % 16 * 16 + column % 16;
}

}  // namespace
