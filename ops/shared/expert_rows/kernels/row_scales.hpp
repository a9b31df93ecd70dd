// SPDX-License-Identifier: Apache-2.0
// Factors of the rows of a product at its end, as a tile.
#pragma once

#include "block_scales.hpp"
#include "tile_rows.hpp"

namespace {

constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t cb_words = index_of(Cb::Words);

union Word {
    uint32_t bits;
    float value;
};

// Factors of the rows of a product at its end: routing weights, and scales, unless they are in
// blocks.
template <class Weights, class Rows, class Experts>
struct Scales {
    const Weights& weights;  // (T, K)
    uint32_t top_k;          // 0: no scales
    const Rows& rows;        // (rows, 1)
    const Experts& experts;  // (E, 1, 1), or (E) in one page
    bool scales_in_a_page;
    uint32_t num_experts;
    RowForm row_form;
    bool has_weights;

    bool are_there() const { return top_k != 0 || row_form != RowForm::None || has_weights; }
    float of(const TileRow& row, uint32_t i) const {
        float scale = 1;
        if (top_k != 0) {
            scale = word(weights, row.ids[i] / top_k, row.ids[i] % top_k, top_k);
        }
        if (row_form != RowForm::None) {
            scale *= word(rows, row_form == RowForm::OneRow ? 0 : row.sources[i], 0, 1);
        }
        if (has_weights) {
            scale *= scales_in_a_page ? word(experts, 0, row.expert, num_experts)
                                      : word(experts, row.expert, 0, 1);
        }
        return scale;
    }

private:
    template <class Accessor>
    static float word(const Accessor& table, uint32_t page, uint32_t index, uint32_t length) {
        const uint32_t tables = get_write_ptr(cb_words);
        const uint32_t start = index / kAligned * kAligned;
        noc_async_read(table.get_noc_addr(page, start * 4), tables,
                       smaller(kAligned, length - start) * 4);
        noc_async_read_barrier();
        Word found;
        found.bits = words_at(tables)[index - start];
        return found.value;
    }
};

// Pushes a tile in which every column of a row holds the row's scale.
template <class AllScales>
void push_scales(const AllScales& scales, const TileRow& row) {
    cb_reserve_back(cb_scales, 1);
    tt_l1_ptr uint32_t* tile = words_at(get_write_ptr(cb_scales));
    for (uint32_t i = 0; i < tile_height; ++i) {
        Word scale;
        scale.value = row.ids[i] == kNobody ? 0.0f : scales.of(row, i);
        // A row of the tile is in two adjacent faces.
        const uint32_t face_row = i / 16 * 512 + i % 16 * 16;
        fill_words(tile + face_row, 16, scale.bits);
        fill_words(tile + face_row + 256, 16, scale.bits);
    }
    cb_push_back(cb_scales, 1);
}

}  // namespace
