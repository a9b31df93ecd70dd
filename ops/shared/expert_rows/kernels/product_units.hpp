// SPDX-License-Identifier: Apache-2.0
// Contents of a unit of a product, in the order in which its reader brings them: announcements,
// rows, weights and their scales.
#pragma once

#include "block_scales.hpp"
#include "packed_weights.hpp"
#include "product_args.hpp"
#include "row_scales.hpp"
#include "table_words.hpp"
#include "tile_rows.hpp"

namespace {

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_compute_units = index_of(Cb::ComputeUnits);
constexpr uint32_t cb_writer_units = index_of(Cb::WriterUnits);
constexpr uint32_t cb_zeros = index_of(Cb::ReaderZeros);
constexpr uint32_t cb_bias = index_of(Cb::Bias);

struct Shapes {
    uint32_t row_bytes;
    uint32_t k_tiles;
    uint32_t n_tiles;
    uint32_t strip;
    uint32_t k_block;
    uint32_t k_chunk;
    uint32_t weight_bytes;   // bytes of a tile
    uint32_t weight_tiles;   // K tiles in a tile in memory: 2 for packed codes
    uint32_t weight_pages;   // pages of one push
    uint32_t element_bytes;  // bytes of an element of a row
    uint32_t block_tiles;    // K tiles that share a scale
    bool is_in_blocks;       // whether there are such scales

    uint32_t chunk_bytes() const { return k_chunk * tt::constants::TILE_WIDTH * element_bytes; }

    uint32_t strips() const { return div_up(n_tiles, strip); }
};

void announce_to_compute(Announced what, uint32_t columns, uint32_t has_new_rows,
                         uint32_t height = 1) {
    cb_reserve_back(cb_compute_units, 1);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_compute_units));
    words[0] = static_cast<uint32_t>(what);
    words[1] = columns;
    words[2] = has_new_rows;
    words[3] = height;
    cb_push_back(cb_compute_units, 1);
}

void announce_to_writer(Announced what, uint32_t column, uint32_t columns, const TileRow& row) {
    cb_reserve_back(cb_writer_units, 1);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_writer_units));
    words[0] = static_cast<uint32_t>(what);
    words[1] = column;
    words[2] = columns;
    for (uint32_t i = 0; what != Announced::End && i < tile_height; ++i) {
        words[3 + i] = row.targets[i];
    }
    cb_push_back(cb_writer_units, 1);
}

// Gathers the rows in chunks of K, with zeros for missing rows and after the last element.
template <class Accessor>
void gather_rows(const Accessor& rows, const Shapes& shapes, const TileRow& row) {
    const uint32_t chunk_bytes = shapes.chunk_bytes();
    for (uint32_t start = 0; start < shapes.row_bytes; start += chunk_bytes) {
        const uint32_t length = smaller(chunk_bytes, shapes.row_bytes - start);
        cb_reserve_back(cb_rows, shapes.k_chunk);
        uint32_t l1_addr = get_write_ptr(cb_rows);
        for (uint32_t i = 0; i < tile_height; ++i, l1_addr += chunk_bytes) {
            // NoC copies zeros from this core's own L1, so that the processor does not store them
            // one by one.
            if (row.sources[i] == kNobody) {
                noc_async_read(get_noc_addr(get_write_ptr(cb_zeros)), l1_addr, chunk_bytes);
                continue;
            }
            noc_async_read(rows.get_noc_addr(row.sources[i], start), l1_addr, length);
            // The processor fills the rest of a short row: K is padded to whole tiles.
            auto* bytes = reinterpret_cast<tt_l1_ptr uint8_t*>(l1_addr);
            for (uint32_t at = length; at < chunk_bytes; ++at) {
                bytes[at] = 0;
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_rows, shapes.k_chunk);
    }
}

// All data that accompanies the weights of a unit.
template <class Blocks, class Zeros, class Micro, class E4m3, class Bias>
struct WeightScales {
    const Blocks& blocks;
    const Zeros& zeros;
    const Micro& micro;
    const E4m3& e4m3;
    const Bias& bias;
    const ReaderArgs& args;
    WeightForm form;

    void hold_columns(uint32_t expert, uint32_t column, uint32_t columns) const {
        // Scales of e2m1 are bytes.
        if (is_e2m1(form)) {
            micro.held.hold(expert, column, columns);
        }
        blocks.hold_columns(expert, column, columns);
        if (args.has_zero_points != 0) {
            zeros.held.hold(expert, column, columns);
        }
    }
    void push_block(uint32_t block, const TileRow& row, uint32_t column, uint32_t columns) const {
        if (form == WeightForm::UInt4) {
            zeros.push(block, columns);
        }
        blocks.push(block, row.sources, column, columns);
    }
    // Writes row 0 of a bfloat16 tile. Its two faces have 32 bytes each, and DRAM reads may not
    // start there: both are read to the left face, and the core moves the second half.
    void push_bias(uint32_t expert, uint32_t column, uint32_t columns) const {
        constexpr uint32_t kRowBytes = 64;
        constexpr uint32_t kFaceWords = 128;
        const uint32_t tile_words = 4 * kFaceWords;
        cb_reserve_back(cb_bias, args.strip);
        tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_bias));
        for (uint32_t c = 0; c < columns; ++c) {
            const uint32_t first = (column + c) * kRowBytes;
            noc_async_read(bias.get_noc_addr(expert, first),
                           get_write_ptr(cb_bias) + c * tile_words * 4,
                           smaller(kRowBytes, 2 * args.columns - first));
        }
        noc_async_read_barrier();
        for (uint32_t c = 0; c < columns; ++c) {
            for (uint32_t i = 0; i < kRowBytes / 8; ++i) {
                words[c * tile_words + kFaceWords + i] = words[c * tile_words + kRowBytes / 8 + i];
            }
        }
        cb_push_back(cb_bias, args.strip);
    }
};

// Tiles of the strip's weights, one row of columns for each k; pushes have the pages of whole
// blocks, also where fewer tiles are left.
template <class Accessor>
void read_weights(const Accessor& weights, const Shapes& shapes, uint32_t first_row, uint32_t first,
                  uint32_t count, uint32_t columns) {
    const uint32_t across = shapes.k_tiles / shapes.weight_tiles;
    const uint32_t l1_addr = get_write_ptr(cb_weights);
    for (uint32_t c = 0; c < columns; ++c) {
        const uint32_t tile = (first_row + c) * across + first / shapes.weight_tiles;
        for (uint32_t k = 0; k < count / shapes.weight_tiles; ++k) {
            noc_async_read_page(tile + k, weights,
                                l1_addr + (k * shapes.strip + c) * shapes.weight_bytes);
        }
    }
    noc_async_read_barrier();
}

// After a push of weights, pushes the scales of the sums that end in it.
template <class Accessor, class Scales>
void feed_weights(const Accessor& weights, const Shapes& shapes, const Scales& scales,
                  const TileRow& row, uint32_t column, uint32_t columns) {
    uint32_t scaled = 0;
    for (uint32_t first = 0; first < shapes.k_tiles; first += shapes.k_block) {
        const uint32_t count = smaller(shapes.k_block, shapes.k_tiles - first);
        cb_reserve_back(cb_weights, shapes.weight_pages);
        read_weights(weights, shapes, row.expert * shapes.n_tiles + column, first, count, columns);
        cb_push_back(cb_weights, shapes.weight_pages);
        if (scales.form == WeightForm::Mxfp4) {
            scales.micro.push(first / 2, count / 2, column, columns);
        } else if (scales.form == WeightForm::Nvfp4) {
            scales.e4m3.push(first / 2, count / 2, column, columns);
        }
        const uint32_t fed = first + count;
        while (shapes.is_in_blocks && scaled * shapes.block_tiles < fed &&
               smaller((scaled + 1) * shapes.block_tiles, shapes.k_tiles) <= fed) {
            scales.push_block(scaled, row, column, columns);
            scaled += 1;
        }
    }
}

}  // namespace
