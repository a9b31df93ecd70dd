// SPDX-License-Identifier: Apache-2.0
// Reads the token rows of a group of CTAs once, through the table of tokens if the product gathers
// them. For each of its blocks of columns it reads the weights and the scales of both.
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "args.hpp"
#include "block_reads.hpp"
#include "units.hpp"

namespace {

using block_reads::kBlockTiles;
using block_reads::Weights;
using units::kBlock;
using units::word;

using namespace tessera::ops;
using namespace tessera::ops::fp8_grouped_matmul;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbWeights = index_of(Cb::In1);
constexpr uint32_t kCbRowScales = index_of(Cb::RowScales);
constexpr uint32_t kCbWeightScales = index_of(Cb::WeightScales);
constexpr uint32_t kCbUnits = index_of(Cb::Units);
constexpr uint32_t kCbTables = index_of(Cb::Tables);
constexpr uint32_t kCbScalePages = index_of(Cb::ScalePages);
constexpr uint32_t kCbHeldScales = index_of(Cb::HeldScales);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kFloatTile = 4096;
constexpr uint32_t kNoGroup = 0xFFFFFFFF;  // no group has this number
constexpr uint32_t kFirst = fp8::CoreIndex::kCount;

struct Shapes {
    uint32_t k_blocks;
    uint32_t n_blocks;
    uint32_t rows;       // of a group, at most
    uint32_t row_tiles;  // rows of tiles that hold them
    uint32_t chunk;      // blocks of K of one push of rows
    uint32_t k_push;     // blocks of K of one push of weights
    uint32_t gathers;
    uint32_t scale_row_bytes;    // activations' scales: one block of K, all rows
    uint32_t scale_page_stride;  // in L1
    uint32_t scale_pages;        // read at once
};

// A group's rows of activations.
struct GroupRows {
    uint32_t first;  // permuted
    uint32_t count;
    uint32_t tokens_l1;  // table of tokens, from the group's first row on
    uint32_t gathers;

    uint32_t source(uint32_t row) const {
        // The table holds tokens; without one the rows are those of the group.
        return gathers != 0 ? word(tokens_l1, row) : first + row;
    }
};

void announce(uint32_t value) {
    cb_reserve_back(kCbUnits, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbUnits)) = value;
    cb_push_back(kCbUnits, 1);
}

// Rows after the last token are left as they are: rows of a product do not mix.
void push_rows(const PageAccessor& activations, const GroupRows& rows, const Shapes& shapes) {
    const uint32_t stride = shapes.chunk * kBlock;
    const uint32_t pages = shapes.chunk * kBlockTiles;
    for (uint32_t first_row = 0; first_row < shapes.row_tiles * kTileRows; first_row += kTileRows) {
        const uint32_t end_row = smaller(first_row + kTileRows, rows.count);
        for (uint32_t block = 0; block < shapes.k_blocks; block += shapes.chunk) {
            const uint32_t bytes = smaller(shapes.chunk, shapes.k_blocks - block) * kBlock;
            cb_reserve_back(kCbRows, pages);
            uint32_t l1_addr = get_write_ptr(kCbRows);
            for (uint32_t row = first_row; row < end_row; ++row) {
                noc_async_read(activations.get_noc_addr(rows.source(row), block * kBlock), l1_addr,
                               bytes);
                l1_addr += stride;
            }
            // One barrier for 32 rows.
            noc_async_read_barrier();
            cb_push_back(kCbRows, pages);
        }
    }
}

// Keeps the scales of a group's rows, one K block after the other. Scales of gathered rows are
// scattered, four bytes each, which is less than a DRAM read: whole pages are read and the scales
// extracted.
void hold_scales(const PageAccessor& scales, const GroupRows& rows, const Shapes& shapes) {
    const uint32_t pages_l1 = get_write_ptr(kCbScalePages);
    auto* held = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbHeldScales));
    const uint32_t offset = rows.gathers != 0 ? 0 : rows.first * 4;
    // Contiguous rows need their own scales only.
    const uint32_t bytes = rows.gathers != 0 ? shapes.scale_row_bytes : rows.count * 4;
    uint32_t skipped = 0;
    for (uint32_t first = 0; first < shapes.k_blocks; first += shapes.scale_pages) {
        const uint32_t count = smaller(shapes.scale_pages, shapes.k_blocks - first);
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t page_l1 = pages_l1 + i * shapes.scale_page_stride;
            skipped = units::read_words(scales, first + i, offset, page_l1, bytes) - page_l1;
        }
        // All pages of the round are in flight together.
        noc_async_read_barrier();
        for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t row = 0; row < rows.count; ++row) {
                const uint32_t place = rows.gathers != 0 ? rows.source(row) : row;
                held[(first + i) * shapes.rows + row] =
                    word(pages_l1 + i * shapes.scale_page_stride + skipped, place);
            }
        }
    }
}

// Pushes a tile for each 32 rows, with the scales of a block of K in column 0.
void push_row_scales(uint32_t block, const GroupRows& rows, const Shapes& shapes) {
    const uint32_t held_l1 = get_write_ptr(kCbHeldScales) + block * shapes.rows * 4;
    // One tile per 32 rows with only column 0 written; the other columns are never read.
    cb_reserve_back(kCbRowScales, shapes.row_tiles);
    const uint32_t l1_addr = get_write_ptr(kCbRowScales);
    for (uint32_t row = 0; row < rows.count; ++row) {
        auto* tile =
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr + row / kTileRows * kFloatTile);
        tile[scale_rule::word_of_row(row % kTileRows)] = word(held_l1, row);
    }
    cb_push_back(kCbRowScales, shapes.row_tiles);
}

void push_products(const Weights& weights, uint32_t block_row, const GroupRows& rows,
                   const Shapes& shapes) {
    constexpr uint32_t kPages = kBlockTiles * kBlockTiles;
    const bool is_shared = !weights.banks.are_all();  // the writer reads the tiles of the others
    const uint32_t first = weights.first_of(block_row);
    for (uint32_t block = 0; block < shapes.k_blocks; block += shapes.k_push) {
        const uint32_t count = smaller(shapes.k_push, shapes.k_blocks - block);
        cb_reserve_back(kCbWeights, shapes.k_push * kPages);
        const asked_reads::Push push{first + block * kBlockTiles, count, get_write_ptr(kCbWeights)};
        if (is_shared) {
            asked_reads::ask(index_of(Cb::Asked), push);
        }
        block_reads::read_push(weights, push);
        noc_async_read_barrier();
        if (is_shared) {
            asked_reads::wait_for_writer(index_of(Cb::Asked));
        }
        cb_push_back(kCbWeights, shapes.k_push * kPages);
        // Scales follow the weights, as compute waits for them.
        for (uint32_t i = 0; i < count; ++i) {
            push_row_scales(block + i, rows, shapes);
        }
    }
}

void push_weight_scales(const PageAccessor& scales, uint32_t page, uint32_t bytes) {
    cb_reserve_back(kCbWeightScales, 1);
    noc_async_read(scales.get_noc_addr(page), get_write_ptr(kCbWeightScales), bytes);
    noc_async_read_barrier();
    cb_push_back(kCbWeightScales, 1);
}

Shapes read_shapes(const ReaderArgs& args) {
    return {.k_blocks = args.k_blocks,
            .n_blocks = args.n_blocks,
            .rows = args.group * args.tile,
            .row_tiles = args.row_tiles,
            .chunk = args.chunk,
            .k_push = args.k_push,
            .gathers = args.gathers,
            .scale_row_bytes = args.scale_row_bytes,
            .scale_page_stride = args.scale_page_stride,
            .scale_pages = args.scale_pages};
}

// The tables in L1.
struct Tables {
    uint32_t batch;
    units::Groups groups;
    uint32_t tokens;
};

// Reads the tables whole: they are short, and units jump between experts. The table of tokens is
// read by group.
Tables read_tables(const PageAccessor& num_ctas, const PageAccessor& batch,
                   const PageAccessor& limit, const ReaderArgs& args) {
    const uint32_t batch_l1 = get_write_ptr(kCbTables);
    const uint32_t limit_l1 = batch_l1 + args.table_stride;
    const uint32_t groups_l1 = limit_l1 + args.table_stride;
    const uint32_t live = units::read_table(num_ctas, batch_l1, sizeof(uint32_t));
    units::read_table(batch, batch_l1, args.table_bytes);
    units::read_table(limit, limit_l1, args.table_bytes);
    return {batch_l1, units::make_groups(batch_l1, limit_l1, live, args.group, groups_l1),
            groups_l1 + args.table_stride};
}

// Pushes the weights of a block of columns and all scales.
void push_unit(const Weights& weights, const PageAccessor& weight_scales, uint32_t block_row,
               const GroupRows& rows, const Shapes& shapes) {
    push_weight_scales(weight_scales, block_row, shapes.k_blocks * 4);
    push_products(weights, block_row, rows, shapes);
}

// Returns the weights with the banks that the writer does not read.
Weights own_part(const PageAccessor& weights, const ReaderArgs& args) {
    const uint32_t others = WriterBanks::read(kFirst + ReaderTensors::Addresses::kCount).mask;
    return {weights,
            {~others, args.banks, args.bank_step},
            args.k_blocks * kBlockTiles,
            args.has_shards != 0};
}

// Tensors with an entry for each token.
struct RowTensors {
    const PageAccessor& activations;
    const PageAccessor& scales;
    const PageAccessor& tokens;
};

// Pushes the rows of the group from `first` on and keeps their scales.
GroupRows push_group(const RowTensors& tensors, const Tables& tables, uint32_t group,
                     uint32_t first, const Shapes& shapes) {
    GroupRows rows{first, tables.groups.end_row(group) - first, tables.tokens, shapes.gathers};
    if (shapes.gathers != 0) {
        rows.tokens_l1 =
            units::read_words(tensors.tokens, 0, first * 4, tables.tokens, rows.count * 4);
        noc_async_read_barrier();
    }
    push_rows(tensors.activations, rows, shapes);
    hold_scales(tensors.scales, rows, shapes);
    return rows;
}

}  // namespace

void kernel_main() {
    using Tensors = ReaderTensors;
    const auto index = fp8::CoreIndex::read();
    const auto args = ReaderArgs::read();
    const Shapes shapes = read_shapes(args);
    const TensorAccessor activations(Tensors::activations(), Tensors::activations_address(kFirst));
    const TensorAccessor row_scales(Tensors::row_scales(), Tensors::row_scales_address(kFirst));
    const TensorAccessor weights(Tensors::weights(), Tensors::weights_address(kFirst));
    const TensorAccessor weight_scales(Tensors::weight_scales(),
                                       Tensors::weight_scales_address(kFirst));
    const TensorAccessor batch(Tensors::batch(), Tensors::batch_address(kFirst));
    const TensorAccessor limit(Tensors::limit(), Tensors::limit_address(kFirst));
    const TensorAccessor num_ctas(Tensors::num_ctas(), Tensors::num_ctas_address(kFirst));
    const TensorAccessor tokens(Tensors::tokens(), Tensors::tokens_address(kFirst));

    const Weights read_weights = own_part(weights, args);
    const Tables tables = read_tables(num_ctas, batch, limit, args);
    const units::Share share =
        units::share_of(tables.groups.count * shapes.n_blocks, index.core, index.num_cores);
    announce(share.count);
    GroupRows rows{};
    uint32_t last_group = kNoGroup;  // so the first unit reads its rows
    for (uint32_t unit = share.first; unit < share.first + share.count; ++unit) {
        const uint32_t group = unit / shapes.n_blocks;
        const uint32_t first_cta = tables.groups.first_cta(group);
        // Only live CTAs are distributed, so the entry is never -1.
        const uint32_t expert = word(tables.batch, first_cta);
        const bool is_new = group != last_group;
        announce(is_new ? 1 : 0);
        if (is_new) {
            last_group = group;
            rows = push_group({activations, row_scales, tokens}, tables, group,
                              first_cta * args.tile, shapes);
        }
        push_unit(read_weights, weight_scales, expert * shapes.n_blocks + unit % shapes.n_blocks,
                  rows, shapes);
    }
}
