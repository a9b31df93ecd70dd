// SPDX-License-Identifier: Apache-2.0
// Brings 32 tokens' queries of a head at a time, and the keys and values of the tokens up to the
// last of them.
#include "../../attention/kernels/blocks.hpp"

using namespace attention;

namespace {

constexpr uint32_t kCbStarts = 24;
constexpr uint32_t kTileRowBytes = 64;

struct Shapes {
    uint32_t tokens;
    uint32_t heads;
    uint32_t nope_bytes;
    uint32_t rope_bytes;
    uint32_t value_bytes;
    uint32_t row_tiles;  // of queries and keys
    uint32_t value_tiles;
    uint32_t block;
    uint32_t sequences;
    uint32_t alignment;

    // The rotated part of a row begins with a tile of its own.
    uint32_t rope_place() const {
        return (nope_bytes + kTileRowBytes - 1) / kTileRowBytes * kTileRowBytes;
    }
};

// 32 tokens of a sequence.
struct Tile {
    uint32_t first;  // token
    uint32_t start;  // of the sequence
    uint32_t end;
};

// Tile `index` of all sequences', if there are so many.
bool find_tile(const Shapes& shapes, uint32_t index, Tile& found) {
    const auto* starts = reinterpret_cast<Words>(get_write_ptr(kCbStarts));
    for (uint32_t s = 0; s < shapes.sequences; ++s) {
        const uint32_t end = s + 1 < shapes.sequences ? starts[s + 1] : shapes.tokens;
        const uint32_t tiles = (end - starts[s] + kTileRows - 1) / kTileRows;
        if (index < tiles) {
            found = {starts[s] + index * kTileRows, starts[s], end};
            return true;
        }
        index -= tiles;
    }
    return false;
}

template <class Nope, class Rope>
void push_queries(const Nope& nope, const Rope& rope, const Shapes& shapes, const Tile& tile,
                  uint32_t head) {
    cb_reserve_back(kCbQueryRows, shapes.row_tiles);
    uint32_t l1_addr = get_write_ptr(kCbQueryRows);
    for (uint32_t token = tile.first; token < smaller(tile.first + kTileRows, tile.end); ++token) {
        const uint32_t row = token * shapes.heads + head;
        noc_async_read(nope.get_noc_addr(row), l1_addr, shapes.nope_bytes);
        noc_async_read(rope.get_noc_addr(row), l1_addr + shapes.rope_place(), shapes.rope_bytes);
        l1_addr += shapes.row_tiles * kTileRowBytes;
    }
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
    for (uint32_t token = first; token < smaller(first + kTileRows, end); ++token) {
        read_range(kv, token, head * head_bytes, keys_l1, shapes.nope_bytes, shapes.alignment,
                   detour_l1);
        read_range(kv, token, head * head_bytes + shapes.nope_bytes, values_l1, shapes.value_bytes,
                   shapes.alignment, detour_l1);
        noc_async_read(rope.get_noc_addr(token), keys_l1 + shapes.rope_place(), shapes.rope_bytes);
        keys_l1 += shapes.row_tiles * kTileRowBytes;
        values_l1 += shapes.value_tiles * kTileRowBytes;
    }
    noc_async_read_barrier();
    cb_push_back(kCbKeyRows, shapes.row_tiles);
    cb_push_back(kCbValueRows, shapes.value_tiles);
}

// Only the last tile of keys, the queries' own, is seen in part.
template <class Kv, class Rope>
void push_blocks(const Kv& kv, const Rope& rope, const Shapes& shapes, const Tile& tile,
                 uint32_t head) {
    const uint32_t key_tiles = (tile.first - tile.start) / kTileRows + 1;
    for (uint32_t done = 0; done < key_tiles; done += shapes.block) {
        const uint32_t num_tiles = smaller(shapes.block, key_tiles - done);
        const bool is_last = done + num_tiles == key_tiles;
        announce_block(num_tiles, is_last ? 1U << (num_tiles - 1) : 0);
        for (uint32_t i = 0; i < num_tiles; ++i) {
            push_keys(kv, rope, shapes, tile.start + (done + i) * kTileRows, tile.end, head);
        }
        if (is_last) {
            push_mask(1, 1);
        }
    }
}

}  // namespace

void kernel_main() {
    const uint32_t core = get_arg_val<uint32_t>(0);
    const uint32_t num_cores = get_arg_val<uint32_t>(1);
    const Shapes shapes{.tokens = get_compile_time_arg_val(0),
                        .heads = get_compile_time_arg_val(1),
                        .nope_bytes = get_compile_time_arg_val(2),
                        .rope_bytes = get_compile_time_arg_val(3),
                        .value_bytes = get_compile_time_arg_val(4),
                        .row_tiles = get_compile_time_arg_val(5),
                        .value_tiles = get_compile_time_arg_val(6),
                        .block = get_compile_time_arg_val(7),
                        .sequences = get_compile_time_arg_val(8),
                        .alignment = get_compile_time_arg_val(9)};
    const TensorAccessor q_nope(TensorAccessorArgs<10>(), get_arg_val<uint32_t>(2));
    const TensorAccessor q_rope(TensorAccessorArgs<12>(), get_arg_val<uint32_t>(3));
    const TensorAccessor kv(TensorAccessorArgs<14>(), get_arg_val<uint32_t>(4));
    const TensorAccessor k_rope(TensorAccessorArgs<16>(), get_arg_val<uint32_t>(5));
    const TensorAccessor starts(TensorAccessorArgs<18>(), get_arg_val<uint32_t>(6));

    push_ones();
    clear(kCbQueryRows, shapes.row_tiles);
    clear(kCbKeyRows, 2 * shapes.row_tiles);
    clear(kCbValueRows, 2 * shapes.value_tiles);
    noc_async_read(starts.get_noc_addr(0), get_write_ptr(kCbStarts),
                   shapes.sequences * sizeof(uint32_t));
    noc_async_read_barrier();
    Tile tile;
    for (uint32_t unit = core; find_tile(shapes, unit / shapes.heads, tile); unit += num_cores) {
        const uint32_t head = unit % shapes.heads;
        const uint32_t count = smaller(kTileRows, tile.end - tile.first);
        const uint32_t key_tiles = (tile.first - tile.start) / kTileRows + 1;
        announce_unit(kResult, (key_tiles + shapes.block - 1) / shapes.block, 0);
        announce_rows(kResult, tile.first * shapes.heads + head, shapes.heads, count);
        push_queries(q_nope, q_rope, shapes, tile, head);
        push_blocks(kv, k_rope, shapes, tile, head);
    }
    announce_unit(kEnd, 0, 0);
    announce_rows(kEnd, 0, 0, 0);
}
