// SPDX-License-Identifier: Apache-2.0
// Reads the queries of 32 tokens of one head at a time, the keys and values of the positions up to
// the last of these tokens, and masks that hide positions from tokens.
#include "args.hpp"
#include "sequence_tiles.hpp"

using namespace tessera::ops::attention_prefill;

namespace {

constexpr uint32_t kCbChosen =
    index_of(Cb::Chosen);  // a token's list, then bits of keys of 32 tokens
constexpr uint32_t kTileRowBytes = 64;

struct Shapes : ReaderArgs {
    // The rotated part of a row begins with a tile of its own.
    uint32_t rope_place() const { return round_up(nope_bytes, kTileRowBytes); }
    bool has_contexts() const { return rows_each != 0; }
};

template <class Nope, class Rope>
void push_queries(const Nope& nope, const Rope& rope, const Shapes& shapes, const Tile& tile,
                  uint32_t head) {
    cb_reserve_back(kCbQueryRows, shapes.row_tiles);
    uint32_t l1_addr = get_write_ptr(kCbQueryRows);
    // Rows of a head are `heads` pages apart.
    for (uint32_t token = tile.first; token < tile.first + tile.count; ++token) {
        const uint32_t row = token * shapes.heads + head;
        noc_async_read(nope.get_noc_addr(row), l1_addr, shapes.nope_bytes);
        noc_async_read(rope.get_noc_addr(row), l1_addr + shapes.rope_place(), shapes.rope_bytes);
        l1_addr += shapes.row_tiles * kTileRowBytes;
    }
    // One barrier for the rows of both parts.
    noc_async_read_barrier();
    cb_push_back(kCbQueryRows, shapes.row_tiles);
}

template <class Kv, class Rope>
void push_keys(const Kv& kv, const Rope& rope, const Shapes& shapes, uint32_t first, uint32_t end,
               uint32_t head) {
    const uint32_t head_bytes = shapes.nope_bytes + shapes.value_bytes;
    cb_reserve_back(kCbKeyRows, shapes.row_tiles);
    cb_reserve_back(kCbValueRows, shapes.value_tiles);
    uint32_t keys_l1 = get_write_ptr(kCbKeyRows);
    uint32_t values_l1 = get_write_ptr(kCbValueRows);
    const uint32_t detour_l1 = get_write_ptr(kCbDetour);
    // Rows beyond the last key keep what the buffer held; masks remove their scores.
    for (uint32_t row = first; row < smaller(first + kTileRows, end); ++row) {
        // nope and value of a head are read separately, because keys and values go to different
        // buffers.
        read_range(kv, row, head * head_bytes, keys_l1, shapes.nope_bytes, shapes.alignment,
                   detour_l1);
        read_range(kv, row, head * head_bytes + shapes.nope_bytes, values_l1, shapes.value_bytes,
                   shapes.alignment, detour_l1);
        // The rotated part is shared by all heads.
        noc_async_read(rope.get_noc_addr(row), keys_l1 + shapes.rope_place(), shapes.rope_bytes);
        keys_l1 += shapes.row_tiles * kTileRowBytes;
        values_l1 += shapes.value_tiles * kTileRowBytes;
    }
    noc_async_read_barrier();
    cb_push_back(kCbKeyRows, shapes.row_tiles);
    cb_push_back(kCbValueRows, shapes.value_tiles);
}

// Returns the address of the bits of the keys that each token of the tile has chosen and attends
// to, one word per 32 keys. Key tile k has the words [32 · k, 32 · k + 32).
uint32_t bits_l1(const Shapes& shapes) {
    return get_write_ptr(kCbChosen) + aligned_bytes(shapes.num_chosen);
}

template <class Accessor>
void mark_chosen(const Accessor& chosen, const Shapes& shapes, const Tile& tile) {
    // Clears the bits of all key tiles at once, for 32 tokens.
    fill_l1(bits_l1(shapes), tile.num_key_tiles() * kTileRows * sizeof(uint32_t), 0);
    auto* bits = reinterpret_cast<Words>(bits_l1(shapes));
    const uint32_t list_l1 = get_write_ptr(kCbChosen);
    const auto* list = reinterpret_cast<Words>(list_l1);
    for (uint32_t row = 0; row < tile.count; ++row) {
        noc_async_read(chosen.get_noc_addr(tile.first + row), list_l1,
                       shapes.num_chosen * sizeof(uint32_t));
        noc_async_read_barrier();
        for (uint32_t i = 0; i < shapes.num_chosen; ++i) {
            // Skips entries without a position and positions that the token does not attend to.
            const uint32_t position = list[i];  // no position: above all others
            if (position <= tile.position + row) {
                auto& word = bits[position / kTileRows * kTileRows + row];
                word = word | 1U << position % kTileRows;
            }
        }
    }
}

void push_mask_of_chosen(const Shapes& shapes, uint32_t key_tile) {
    const auto* bits = reinterpret_cast<Words>(bits_l1(shapes)) + key_tile * kTileRows;
    cb_reserve_back(kCbMasks, 1);
    for (uint32_t row = 0; row < kTileRows; ++row) {
        const uint32_t seen = bits[row];
        for (uint32_t column = 0; column < kTileRows; ++column) {
            // A mask is added to the scores: 0, or a number that no score reaches.
            mask_element(row, column) = (seen >> column & 1) != 0 ? 0 : kMasked;
        }
    }
    cb_push_back(kCbMasks, 1);
}

// Returns the first key tile that some token of the tile attends to only in part: the tile of the
// queries, or, if the context is not whole tiles, the one before.
uint32_t first_masked(const Shapes& shapes, const Tile& tile) {
    return shapes.num_chosen != 0 ? 0 : (tile.position + 1) / kTileRows;
}

void push_masks(const Shapes& shapes, const Tile& tile, uint32_t first, uint32_t end) {
    // Masks are made for the tiles that need one; compute learns from a bit which these are.
    for (uint32_t key_tile = first; key_tile < end; ++key_tile) {
        if (shapes.num_chosen != 0) {
            push_mask_of_chosen(shapes, key_tile);
        } else {
            push_mask(static_cast<int32_t>(tile.position + 1 - key_tile * kTileRows), 1);
        }
    }
}

template <class Kv, class Rope>
void push_blocks(const Kv& kv, const Rope& rope, const Shapes& shapes, const Tile& tile,
                 uint32_t head) {
    const uint32_t key_tiles = tile.num_key_tiles();
    const uint32_t masked = first_masked(shapes, tile);
    for (uint32_t done = 0; done < key_tiles; done += shapes.block) {
        const uint32_t end = smaller(done + shapes.block, key_tiles);
        // All tokens of the tile attend to the tiles before the diagonal, which need no mask.
        const uint32_t seen_whole = smaller(larger(masked, done), end) - done;
        announce_block(end - done, ((1U << (end - done)) - 1) >> seen_whole << seen_whole);
        for (uint32_t key_tile = done; key_tile < end; ++key_tile) {
            push_keys(kv, rope, shapes, tile.first_key + key_tile * kTileRows,
                      tile.first_key + tile.num_keys(), head);
        }
        push_masks(shapes, tile, done + seen_whole, end);
    }
}

}  // namespace

void kernel_main() {
    const auto share = ReaderShare::read();
    const Shapes shapes{ReaderArgs::read()};
    const ReaderTensors::Addresses::Each address{ReaderShare::kCount};
    const TensorAccessor q_nope(ReaderTensors::q_nope(), address.q_nope());
    const TensorAccessor q_rope(ReaderTensors::q_rope(), address.q_rope());
    const TensorAccessor kv(ReaderTensors::kv(), address.kv());
    const TensorAccessor k_rope(ReaderTensors::k_rope(), address.k_rope());
    const TensorAccessor starts(ReaderTensors::starts(), address.starts());
    const TensorAccessor contexts(ReaderTensors::contexts(), address.contexts());
    const TensorAccessor chosen(ReaderTensors::chosen(), address.chosen());

    push_ones();
    // Buffers start as zeros: padding columns are multiplied, and must not be NaN.
    clear(kCbQueryRows, shapes.row_tiles);
    clear(kCbKeyRows, 2 * shapes.row_tiles);
    clear(kCbValueRows, 2 * shapes.value_tiles);
    read_sequences(starts, contexts, shapes);
    Tile tile;
    uint32_t marked = shapes.tokens;  // first token of the tile whose choices are marked
    // Units are heads of a tile in turn, so neighbouring cores read the same keys.
    for (uint32_t unit = share.core; find_tile(shapes, unit / shapes.heads, tile);
         unit += share.num_cores) {
        const uint32_t head = unit % shapes.heads;
        announce_unit(kResult, div_up(tile.num_key_tiles(), shapes.block), 0);
        announce_rows(kResult, tile.first * shapes.heads + head, shapes.heads, tile.count);
        // All heads of a tile have the same choices, so the bits are made once.
        if (shapes.num_chosen != 0 && tile.first != marked) {
            mark_chosen(chosen, shapes, tile);
            marked = tile.first;
        }
        push_queries(q_nope, q_rope, shapes, tile, head);
        push_blocks(kv, k_rope, shapes, tile, head);
    }
    announce_unit(kEnd, 0, 0);
    announce_rows(kEnd, 0, 0, 0);
}
