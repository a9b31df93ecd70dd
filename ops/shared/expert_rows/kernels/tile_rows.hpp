// SPDX-License-Identifier: Apache-2.0
// The rows that a tile of a product is made of, out of a list of blocks or of experts' batches.
#pragma once

#include "../../kernels/arithmetic.hpp"
#include "product_args.hpp"
#include "table_words.hpp"

namespace {

using namespace tessera::ops::row_products;
using tessera::ops::index_of;

constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

constexpr uint32_t kAligned = 16;  // words: what reads from DRAM are aligned to, at the most

// Up to 32 rows of one expert: their sources and destinations; kNobody for missing rows.
struct TileRow {
    uint32_t expert;  // kNobody: zeros are written
    bool has_rows;
    uint32_t sources[tile_height];
    uint32_t targets[tile_height];
    uint32_t ids[tile_height];

    void clear(uint32_t of_expert) {
        expert = of_expert;
        has_rows = false;
        for (uint32_t i = 0; i < tile_height; ++i) {
            sources[i] = targets[i] = ids[i] = kNobody;
        }
    }
    void set(uint32_t i, uint32_t source, uint32_t target, uint32_t id) {
        sources[i] = source;
        targets[i] = target;
        ids[i] = id;
        has_rows = true;
    }
};

// Starts to read the words [first, first + count) of page 0 of a table, from an aligned address on.
// Returns their place.
template <class Accessor>
const tt_l1_ptr uint32_t* start_words(const Accessor& table, uint32_t first, uint32_t count,
                                      uint32_t length, uint32_t l1_addr) {
    const uint32_t start = first / kAligned * kAligned;
    const uint32_t end = smaller(div_up(first + count, kAligned) * kAligned, length);
    noc_async_read(table.get_noc_addr(0, start * 4), l1_addr, (end - start) * 4);
    return words_at(l1_addr) + (first - start);
}

// Adjacent tile rows of one expert.
struct Segment {
    uint32_t expert;
    uint32_t length;
};

// The blocks of moe_align_block_size. `tables`: scratch of the kernel that looks at the list.
template <class Ids, class Experts, Cb tables_cb = Cb::Tables>
struct BlockList {
    const Ids& ids;
    const Experts& experts;
    uint32_t num_entries;  // entries of the tensors
    uint32_t num_blocks;
    uint32_t block_size;
    bool reads_by_choice;
    bool writes_by_choice;
    uint32_t top_k;
    uint32_t num_choices;  // entries from here on refer to no choice

    bool writes_zeros() const { return writes_by_choice; }
    uint32_t tile_rows_of_block() const { return div_up(block_size, tile_height); }
    // Reads the experts of all blocks, for segment().
    void hold_experts() const {
        noc_async_read(experts.get_noc_addr(0), get_write_ptr(index_of(tables_cb)) + kHeldExperts,
                       num_blocks * sizeof(uint32_t));
        noc_async_read_barrier();
    }
    // Tile rows from `tile_row` to `end` that have its expert. Those without an expert are alone.
    Segment segment(uint32_t tile_row, uint32_t end) const {
        const auto* held = words_at(get_write_ptr(index_of(tables_cb)) + kHeldExperts);
        const uint32_t per_block = tile_rows_of_block();
        const uint32_t expert = held[tile_row / per_block];
        if (expert == kNobody) {
            return {expert, 1};
        }
        uint32_t next = tile_row / per_block + 1;
        while (next * per_block < end && held[next] == expert) {
            ++next;
        }
        return {expert, next * per_block - tile_row};
    }
    void find(uint32_t tile_row, TileRow& found) const {
        const uint32_t per_block = tile_rows_of_block();
        const uint32_t block = tile_row / per_block;
        const uint32_t first = tile_row % per_block * tile_height;
        const uint32_t count = smaller(tile_height, block_size - first);
        const uint32_t tables = get_write_ptr(index_of(tables_cb));
        const uint32_t place = block * block_size + first;
        // Both are on their way together: a bank that many cores read takes long to answer.
        const auto* expert = start_words(experts, block, 1, num_blocks, tables);
        const auto* entries =
            start_words(ids, place, count, num_entries, tables + kAligned * sizeof(uint32_t));
        noc_async_read_barrier();
        found.clear(expert[0]);
        for (uint32_t i = 0; i < count && place + i < num_entries; ++i) {
            const uint32_t id = entries[i];
            if (id < num_choices) {
                found.set(i, reads_by_choice ? id / top_k : place + i,
                          writes_by_choice ? id : place + i, id);
            }
        }
    }
};

// The rows of each expert's batch.
struct BatchList {
    const tt_l1_ptr uint32_t* counts;
    uint32_t num_experts;
    uint32_t batch_rows;

    uint32_t num_tile_rows() const {
        uint32_t rows = 0;
        for (uint32_t expert = 0; expert < num_experts; ++expert) {
            rows += div_up(counts[expert], tile_height);
        }
        return rows;
    }
    bool writes_zeros() const { return false; }
    // Returns the expert of a tile row, which becomes its number among those of the expert.
    uint32_t expert_of(uint32_t& tile_row) const {
        uint32_t expert = 0;
        for (uint32_t n = div_up(counts[0], tile_height); tile_row >= n;
             n = div_up(counts[expert], tile_height)) {
            tile_row -= n;
            ++expert;
        }
        return expert;
    }
    void hold_experts() const {}
    Segment segment(uint32_t tile_row, uint32_t /*end*/) const {
        const uint32_t expert = expert_of(tile_row);
        return {expert, div_up(counts[expert], tile_height) - tile_row};
    }
    void find(uint32_t tile_row, TileRow& found) const {
        const uint32_t expert = expert_of(tile_row);
        found.clear(expert);
        const uint32_t first = tile_row * tile_height;
        for (uint32_t i = 0; i < smaller(tile_height, counts[expert] - first); ++i) {
            const uint32_t row = expert * batch_rows + first + i;
            found.set(i, row, row, row);
        }
    }
};

// The rows of each expert, as `counts` has them.
template <Cb tables_cb = Cb::Tables, class Counts>
BatchList batch_list(const Counts& counts, const ReaderArgs& args) {
    const uint32_t tables = get_write_ptr(index_of(tables_cb));
    const auto form = static_cast<CountsForm>(args.counts_form);
    if (form == CountsForm::None) {
        fill_words(words_at(tables), args.num_experts, args.batch_rows);
    } else {
        read_counts(counts, args.num_experts, form == CountsForm::PageEach, tables);
    }
    return {words_at(tables), args.num_experts, args.batch_rows};
}

template <Cb tables_cb = Cb::Tables, class Ids, class Experts>
BlockList<Ids, Experts, tables_cb> block_list(const Ids& ids, const Experts& experts,
                                              const ReaderArgs& args) {
    return {.ids = ids,
            .experts = experts,
            .num_entries = args.num_entries,
            .num_blocks = args.num_blocks,
            .block_size = args.block_size,
            .reads_by_choice = args.reads_by_choice != 0,
            .writes_by_choice = args.writes_by_choice != 0,
            .top_k = args.top_k,
            .num_choices = args.num_choices};
}

// Returns the tile rows of a list whose end is the word of `num_listed`.
template <Cb tables_cb = Cb::Tables, class List, class End>
uint32_t listed_tile_rows(const List& list, const End& num_listed) {
    const uint32_t tables = get_write_ptr(index_of(tables_cb));
    read_pages(num_listed, 0, 1, tables, 0, 4);
    return words_at(tables)[0] / list.block_size * div_up(list.block_size, tile_height);
}

}  // namespace
