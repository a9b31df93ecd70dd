// SPDX-License-Identifier: Apache-2.0
// Reads the queries of 32 tokens for the heads that share keys and values, and the keys and values
// of the positions that the tokens attend to, from pages or contiguous rows. Each is read once for
// all of these heads.
#include "../../shared/attention/kernels/head_rows.hpp"
#include "args.hpp"
#include "sequence_tiles.hpp"

using namespace tessera::ops::attention_prefill;

namespace {

constexpr uint32_t kCbPages = index_of(Cb::Chosen);

struct Shapes : HeadReaderArgs {
    bool has_contexts() const { return contexts_given != 0; }
    uint32_t group() const { return heads / kv_heads; }
    uint32_t units_of_tile() const { return heads / strips; }
    // Returns the first position that the first token of a tile attends to.
    uint32_t first_seen(const Tile& tile) const {
        return window == 0 || tile.position + 1 < window ? 0 : tile.position + 1 - window;
    }
};

// Rows of the keys of a sequence, by position.
struct SequenceRows {
    const volatile tt_l1_ptr uint32_t* pages;  // null: rows follow each other
    uint32_t page_size;
    uint32_t first_key;

    uint32_t row(uint32_t position) const {
        return pages == nullptr ? first_key + position
                                : pages[position / page_size] * page_size + position % page_size;
    }
    bool are_consecutive() const { return true; }
};

template <class Table>
SequenceRows rows_of(const Table& table, const Shapes& shapes, const Tile& tile) {
    if (shapes.table_width == 0) {
        return {nullptr, 1, tile.first_key};
    }
    noc_async_read(table.get_noc_addr(tile.sequence), get_write_ptr(kCbPages),
                   shapes.table_width * sizeof(uint32_t));
    noc_async_read_barrier();
    return {reinterpret_cast<Words>(get_write_ptr(kCbPages)), shapes.page_size, 0};
}

void push_blocks(const HeadCaches& caches, const SequenceRows& rows, const Shapes& shapes,
                 const Tile& tile, uint32_t head) {
    const auto seen = [&](uint32_t key_tile) {
        const auto end = static_cast<int32_t>(tile.position + 1 - key_tile * kTileRows);
        constexpr int32_t kNone = -2 * static_cast<int32_t>(kTileRows);
        return SeenColumns{shapes.window == 0 ? kNone : end - static_cast<int32_t>(shapes.window),
                           end, 1};
    };
    const uint32_t key_tiles = tile.num_key_tiles();
    for (uint32_t done = shapes.first_seen(tile) / kTileRows; done < key_tiles;
         done += shapes.block) {
        const uint32_t num_tiles = smaller(shapes.block, key_tiles - done);
        const auto seen_of_block = [&](uint32_t i) { return seen(done + i); };
        const uint32_t masked = announce_head_block(num_tiles, seen_of_block);
        for (uint32_t i = 0; i < num_tiles; ++i) {
            push_head_tile(caches, rows, head, (done + i) * kTileRows, tile.num_keys());
        }
        push_head_masks(num_tiles, masked, shapes.block, seen_of_block);
    }
}

// A unit: `strips` heads from `first_head` on, of a tile.
template <class Query, class Table>
void push_unit(const Query& query, const HeadCaches& caches, const Table& table,
               const Shapes& shapes, const Tile& tile, uint32_t first_head) {
    const uint32_t first_tile = shapes.first_seen(tile) / kTileRows;
    announce_unit(kResult, div_up(tile.num_key_tiles() - first_tile, shapes.block), 0);
    for (uint32_t head = first_head; head < first_head + shapes.strips; ++head) {
        announce_rows(kResult, tile.first * shapes.heads + head, shapes.heads, tile.count);
    }
    for (uint32_t head = first_head; head < first_head + shapes.strips; ++head) {
        push_query_rows(query, caches, tile.first * shapes.heads + head, shapes.heads, tile.count);
        if (shapes.has_sinks != 0) {
            push_sinks(head, 0, kTileRows);
        }
    }
    push_blocks(caches, rows_of(table, shapes, tile), shapes, tile, first_head / shapes.group());
}

}  // namespace

void kernel_main() {
    const auto share = ReaderShare::read();
    const Shapes shapes{HeadReaderArgs::read()};
    const HeadReaderTensors::Addresses::Each address{ReaderShare::kCount};
    const TensorAccessor query(HeadReaderTensors::query(), address.query());
    const TensorAccessor keys(HeadReaderTensors::keys(), address.keys());
    const TensorAccessor values(HeadReaderTensors::values(), address.values());
    const TensorAccessor starts(HeadReaderTensors::starts(), address.starts());
    const TensorAccessor contexts(HeadReaderTensors::contexts(), address.contexts());
    const TensorAccessor table(HeadReaderTensors::table(), address.table());
    const TensorAccessor sinks(HeadReaderTensors::sinks(), address.sinks());
    const HeadCaches caches{{keys, shapes.key_bytes, shapes.key_heads_each},
                            {values, shapes.value_bytes, shapes.value_heads_each},
                            shapes.kv_heads,
                            shapes.key_tiles,
                            shapes.value_tiles};

    push_ones();
    clear_head_rows(caches);
    read_sequences(starts, contexts, shapes);
    if (shapes.has_sinks != 0) {
        read_sinks(sinks, shapes.heads);
    }
    Tile tile;
    // Later units have more keys: cores take turns from both ends, so their sums are similar.
    for (uint32_t turn = 0;; ++turn) {
        const uint32_t place = turn % 2 == 0 ? share.core : share.num_cores - 1 - share.core;
        const uint32_t unit = turn * share.num_cores + place;
        if (!find_tile(shapes, unit / shapes.units_of_tile(), tile)) {
            break;
        }
        push_unit(query, caches, table, shapes, tile,
                  unit % shapes.units_of_tile() * shapes.strips);
    }
    announce_unit(kEnd, 0, 0);
    announce_rows(kEnd, 0, 0, 0);
}
