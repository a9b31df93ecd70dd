// SPDX-License-Identifier: Apache-2.0
// Reads the heads of a token, and the cache rows that it attends to: all up to its position, or
// those in a list. Cores that share a sequence read a range of its blocks each. An fp8 cache has
// separate codes, scales and rotated parts.
#pragma once

#include <type_traits>

#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/cache_rows.hpp"
#include "token_keys.hpp"

namespace {

constexpr uint32_t kCbCodeRows = index_of(Cb::CodeRows);
constexpr uint32_t kCbScales = index_of(Cb::Scales);
constexpr uint32_t kCbScaleWords = index_of(Cb::ScaleWords);
constexpr uint32_t kScaleSlot = 128;  // bytes: of a key's scales, and of what aligns their read
constexpr uint32_t kFloatTileBytes = 4096;
// Runtime arguments: the share, addresses, how many partners there are, and their coordinates.
constexpr uint32_t kFirstPartner =
    ReaderShare::kCount + ReaderTensors::Addresses::kCount + PartnerCount::kCount;

struct Shapes : ReaderArgs {
    uint32_t row_bytes() const { return row_tiles * 64; }
    // A part of a tile counts as one: the rotated part begins at a tile of its own in fp8.
    uint32_t latent_tiles() const { return div_up(latent_bytes, 64); }
    uint32_t rope_offset() const { return scales == 0 ? latent_bytes : latent_tiles() * 64; }
    // Returns the bytes of a position of the cache: codes are half as long as the latent, and
    // rotated parts are separate.
    uint32_t cache_row_bytes() const {
        return scales == 0 ? latent_bytes + rope_bytes : latent_bytes / 2;
    }
};

// Rows are latents and rotated parts; or the latents' codes, with scales and rotated parts in
// separate tensors.
template <class Rows>
struct Caches {
    Rows rows;
    CacheRows<PageAccessor> scales;
    Rows rope;
};

// Rows that all start at addresses at which DRAM is read.
struct AlignedRows : CacheRows<PageAccessor> {};
// Rows some of which start at addresses that are not aligned for DRAM reads.
struct MisalignedRows : CacheRows<PageAccessor> {};

// Reads rows of keys [first, end), `pitch` bytes apart in L1. Rows that are contiguous in both
// memories are read together.
template <class Cache>
void read_rows(const Cache& cache, const Keys& keys, uint32_t first, uint32_t end, uint32_t l1_addr,
               uint32_t pitch) {
    const bool may_join = keys.chosen == nullptr && cache.row_bytes == pitch;
    for (uint32_t place = first; place < end;) {
        const uint32_t row = keys.row(place);
        const uint32_t count = may_join ? cache.together(row, end - place) : 1;
        noc_async_read(cache.address(row), l1_addr, count * cache.row_bytes);
        l1_addr += count * pitch;
        place += count;
    }
}

// Reads each row through a separate buffer if source and destination differ modulo DRAM's
// alignment.
void read_rows(const MisalignedRows& cache, const Keys& keys, uint32_t first, uint32_t end,
               uint32_t l1_addr, uint32_t pitch) {
    const uint32_t alignment = MisalignedArgs::read().alignment;
    for (uint32_t place = first; place < end; ++place) {
        const uint32_t row = keys.row(place);
        read_range(cache.tensor, row / cache.in_one_row, cache.offset(row), l1_addr,
                   cache.row_bytes, alignment, get_write_ptr(kCbDetour));
        l1_addr += pitch;
    }
}

// Reads scales of keys [first, end), or (with `tiles_l1`) puts those that were read into column 0
// of tiles, one for each 128 columns.
template <class Cache>
void move_scales(const Cache& cache, const Shapes& shapes, const Keys& keys, uint32_t first,
                 uint32_t end, uint32_t tiles_l1) {
    constexpr uint32_t kAlignment = 64;  // alignment of reads on every device
    for (uint32_t place = first; place < end;) {
        const uint32_t row = keys.row(place);
        const uint32_t before = cache.offset(row) % kAlignment;
        const uint32_t count = keys.chosen == nullptr ? cache.together(row, end - place) : 1;
        const uint32_t l1_addr = get_write_ptr(kCbScaleWords) + (place - first) * kScaleSlot;
        if (tiles_l1 == 0) {
            noc_async_read(cache.address(row, before), l1_addr, before + count * cache.row_bytes);
        }
        const auto* words = reinterpret_cast<Words>(l1_addr + before);
        for (uint32_t i = 0; tiles_l1 != 0 && i < count * shapes.scales; ++i) {
            reinterpret_cast<Words>(
                tiles_l1 +
                i % shapes.scales *
                    kFloatTileBytes)[scale_rule::word_of_row(place - first + i / shapes.scales)] =
                words[i];
        }
        place += count;
    }
}

template <class AllCaches>
void push_quantised_tile(const AllCaches& caches, const Shapes& shapes, const Keys& keys,
                         uint32_t first, uint32_t end) {
    const uint32_t rope_tiles = shapes.row_tiles - shapes.latent_tiles();
    cb_reserve_back(kCbCodeRows, shapes.latent_tiles());
    cb_reserve_back(kCbScales, shapes.scales);
    cb_reserve_back(kCbKeyRows, rope_tiles);
    read_rows(caches.rows, keys, first, end, get_write_ptr(kCbCodeRows),
              shapes.latent_tiles() * 32);
    read_rows(caches.rope, keys, first, end, get_write_ptr(kCbKeyRows), rope_tiles * 64);
    move_scales(caches.scales, shapes, keys, first, end, 0);
    noc_async_read_barrier();
    move_scales(caches.scales, shapes, keys, first, end, get_write_ptr(kCbScales));
    cb_push_back(kCbCodeRows, shapes.latent_tiles());
    cb_push_back(kCbScales, shapes.scales);
    cb_push_back(kCbKeyRows, rope_tiles);
}

template <class AllCaches>
void push_key_tile(const AllCaches& caches, const Shapes& shapes, const Keys& keys,
                   uint32_t first) {
    const uint32_t end = smaller(first + kTileRows, keys.count);
    if (shapes.scales != 0) {
        push_quantised_tile(caches, shapes, keys, first, end);
        return;
    }
    cb_reserve_back(kCbKeyRows, shapes.row_tiles);
    read_rows(caches.rows, keys, first, end, get_write_ptr(kCbKeyRows), shapes.row_bytes());
    noc_async_read_barrier();
    cb_push_back(kCbKeyRows, shapes.row_tiles);
}

// Clears the keys. Values after the rows that are read must not be NaN, because NaN times a weight
// of 0 is NaN.
void clear_keys(const Shapes& shapes) {
    if (shapes.scales == 0) {
        clear(kCbKeyRows, 2 * shapes.row_tiles);
        return;
    }
    clear(kCbKeyRows, 2 * (shapes.row_tiles - shapes.latent_tiles()));
    fill_l1(get_write_ptr(kCbCodeRows), 2 * shapes.latent_tiles() * 1024, 0);
    fill_l1(get_write_ptr(kCbScales), 2 * shapes.scales * kFloatTileBytes, 0);
}

// Pushes blocks [first, end) of the keys.
template <class AllCaches>
void push_blocks(const AllCaches& caches, const Shapes& shapes, const Keys& keys, uint32_t first,
                 uint32_t end) {
    const uint32_t key_tiles = div_up(keys.count, kTileRows);
    for (uint32_t block = first; block < end; ++block) {
        const uint32_t tile = block * shapes.block;
        const uint32_t num_tiles = smaller(shapes.block, key_tiles - tile);
        const bool is_cut = tile + num_tiles == key_tiles && keys.count % kTileRows != 0;
        announce_block(num_tiles, is_cut ? 1U << (num_tiles - 1) : 0);
        for (uint32_t i = 0; i < num_tiles; ++i) {
            push_key_tile(caches, shapes, keys, (tile + i) * kTileRows);
        }
        if (is_cut) {
            push_mask(keys.count % kTileRows, 0);
        }
    }
}

// Reads the rotated part of a query behind its latent.
template <class Rows, class Rope>
void read_rope(const Rope& rope, const Shapes& shapes, uint32_t row, uint32_t l1_addr) {
    if constexpr (std::is_same_v<Rows, MisalignedRows>) {
        read_range(rope, row, 0, l1_addr, shapes.rope_bytes, MisalignedArgs::read().alignment,
                   get_write_ptr(kCbDetour));
    } else {
        noc_async_read(rope.get_noc_addr(row), l1_addr, shapes.rope_bytes);
    }
}

template <class Rows, class Latent, class Rope>
void push_queries(const Latent& latent, const Rope& rope, const Shapes& shapes, uint32_t first_row,
                  uint32_t count) {
    cb_reserve_back(kCbQueryRows, shapes.row_tiles);
    uint32_t l1_addr = get_write_ptr(kCbQueryRows);
    for (uint32_t row = first_row; row < first_row + count; ++row) {
        noc_async_read(latent.get_noc_addr(row), l1_addr, shapes.latent_bytes);
        read_rope<Rows>(rope, shapes, row, l1_addr + shapes.rope_offset());
        l1_addr += shapes.row_bytes();
    }
    noc_async_read_barrier();
    cb_push_back(kCbQueryRows, shapes.row_tiles);
}

// The cache rows that a token attends to.
template <class Table, class Chosen>
Keys find_keys(const Table& table, const Chosen& chosen, const Shapes& shapes, uint32_t sequence,
               uint32_t token, int32_t position) {
    noc_async_read(table.get_noc_addr(sequence), get_write_ptr(kCbPages),
                   shapes.table_width * sizeof(uint32_t));
    noc_async_read_barrier();
    const bool is_sparse = shapes.chosen_width != 0;
    return {is_sparse ? gather_chosen(chosen, token, shapes.chosen_width, position)
                      : static_cast<uint32_t>(position + 1),
            is_sparse ? reinterpret_cast<Words>(get_write_ptr(kCbChosen)) : nullptr,
            reinterpret_cast<Words>(get_write_ptr(kCbPages)), shapes.page_size};
}

struct Tensors {
    using All = ReaderTensors;
    static constexpr uint32_t kFirst = ReaderShare::kCount;

    PageAccessor latent{All::latent(), All::latent_address(kFirst)};
    PageAccessor rope{All::rope(), All::rope_address(kFirst)};
    PageAccessor cache{All::cache(), All::cache_address(kFirst)};
    PageAccessor table{All::table(), All::table_address(kFirst)};
    PageAccessor positions{All::positions(), All::positions_address(kFirst)};
    PageAccessor chosen{All::chosen(), All::chosen_address(kFirst)};
    PageAccessor sequences{All::sequences(), All::sequences_address(kFirst)};
    PageAccessor scales{All::scales(), All::scales_address(kFirst)};
    PageAccessor rope_cache{All::rope_cache(), All::rope_cache_address(kFirst)};
};

// Fills what is the same for all units.
void push_constants(const Shapes& shapes) {
    push_ones();
    clear(kCbQueryRows, shapes.row_tiles);
    clear_keys(shapes);
}

// Runs the kernel. `Rows` is AlignedRows, or MisalignedRows if the cache's rows need it.
template <class Rows>
void read_tokens() {
    const auto share = ReaderShare::read();
    const Shapes shapes{ReaderArgs::read()};
    const Tensors tensors;
    const uint32_t scale_bytes = shapes.scales * static_cast<uint32_t>(sizeof(uint32_t));
    const Caches<Rows> caches{
        Rows{{tensors.cache, shapes.cache_row_bytes(), shapes.positions_each}},
        {tensors.scales, scale_bytes, shapes.positions_each},
        Rows{{tensors.rope_cache, shapes.rope_bytes, shapes.positions_each}}};
    const uint32_t num_partners = PartnerCount::read(kFirstPartner - 1).num_partners;

    push_constants(shapes);
    WordList<PageAccessor> positions{tensors.positions, shapes.position_width,
                                     get_write_ptr(kCbWords)};
    WordList<PageAccessor> sequences{tensors.sequences, larger(shapes.sequence_width, 1),
                                     get_write_ptr(kCbWords) + 64};
    const uint32_t head_tiles = div_up(shapes.heads, kTileRows);
    uint32_t num_received = 0;
    for (uint32_t unit = share.group; unit < share.num_units; unit += share.num_groups) {
        const uint32_t token = unit / head_tiles;
        const uint32_t head = unit % head_tiles * kTileRows;
        const uint32_t count = smaller(kTileRows, shapes.heads - head);
        const auto position = static_cast<int32_t>(positions.at(token));
        const uint32_t sequence =
            shapes.sequence_width == 0 ? token / shapes.tokens_each : sequences.at(token);
        const Keys keys =
            find_keys(tensors.table, tensors.chosen, shapes, sequence, token, position);
        const uint32_t num_blocks = div_up(keys.count, shapes.block * kTileRows);
        const uint32_t first = num_blocks * share.slot / share.split;
        const uint32_t end = num_blocks * (share.slot + 1) / share.split;
        const uint32_t row = token * shapes.heads + head;
        const Announced what = share.slot == 0 ? kResult : kPartial;
        announce_unit(what, end - first, num_partners);
        announce_rows(what, row, 1, count);
        push_queries<Rows>(tensors.latent, tensors.rope, shapes, row, count);
        push_blocks(caches, shapes, keys, first, end);
        receive_partials(shapes, kFirstPartner, num_partners, num_received);
    }
    end_units();
}

}  // namespace
