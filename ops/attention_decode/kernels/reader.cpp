// SPDX-License-Identifier: Apache-2.0
// Brings the heads of a token, and the rows of the cache that it sees: all up to its position, or
// those that a list names. Cores that share a sequence take a range of its blocks each.
#include "../../attention/kernels/blocks.hpp"
#include "../../kernels/cache_rows.hpp"

using namespace attention;

namespace {

constexpr uint32_t kCbPages = 24;
constexpr uint32_t kCbChosen = 25;

struct Shapes {
    uint32_t heads;
    uint32_t latent_bytes;
    uint32_t rope_bytes;
    uint32_t row_tiles;  // of queries and keys
    uint32_t block;      // key tiles
    uint32_t page_size;  // positions
    uint32_t table_width;
    uint32_t chosen_width;  // 0: all positions are seen
    uint32_t tokens_each;   // of a sequence, where no list says it

    uint32_t row_bytes() const { return row_tiles * 64; }
};

// The keys of one token: positions, or places in a list that has been gathered in front.
struct Keys {
    uint32_t count;
    const volatile tt_l1_ptr uint32_t* chosen;  // null: place and position are one
    const volatile tt_l1_ptr uint32_t* pages;
    uint32_t page_size;

    uint32_t row(uint32_t place) const {
        const uint32_t position = chosen == nullptr ? place : chosen[place];
        return pages[position / page_size] * page_size + position % page_size;
    }
};

// Entries of −1, and positions behind the token's own, are nobody's.
template <class Accessor>
uint32_t gather_chosen(const Accessor& list, uint32_t token, uint32_t width, int32_t position) {
    const uint32_t l1_addr = get_write_ptr(kCbChosen);
    noc_async_read(list.get_noc_addr(token), l1_addr, width * sizeof(uint32_t));
    noc_async_read_barrier();
    auto* entries = reinterpret_cast<Words>(l1_addr);
    uint32_t count = 0;
    for (uint32_t i = 0; i < width; ++i) {
        const auto entry = static_cast<int32_t>(entries[i]);
        if (entry >= 0 && entry <= position) {
            entries[count] = static_cast<uint32_t>(entry);
            count += 1;
        }
    }
    return count;
}

template <class Cache>
void push_key_tile(const Cache& cache, const Shapes& shapes, const Keys& keys, uint32_t first) {
    cb_reserve_back(kCbKeyRows, shapes.row_tiles);
    uint32_t l1_addr = get_write_ptr(kCbKeyRows);
    // Rows lie in L1 as in the cache only if they are whole tiles wide.
    const bool may_join = keys.chosen == nullptr && cache.row_bytes == shapes.row_bytes();
    const uint32_t end = smaller(first + kTileRows, keys.count);
    for (uint32_t place = first; place < end;) {
        const uint32_t row = keys.row(place);
        const uint32_t count = may_join ? cache.together(row, end - place) : 1;
        noc_async_read(cache.address(row), l1_addr, count * cache.row_bytes);
        l1_addr += count * shapes.row_bytes();
        place += count;
    }
    noc_async_read_barrier();
    cb_push_back(kCbKeyRows, shapes.row_tiles);
}

// Blocks [first, end) of the keys.
template <class Cache>
void push_blocks(const Cache& cache, const Shapes& shapes, const Keys& keys, uint32_t first,
                 uint32_t end) {
    const uint32_t key_tiles = (keys.count + kTileRows - 1) / kTileRows;
    for (uint32_t block = first; block < end; ++block) {
        const uint32_t tile = block * shapes.block;
        const uint32_t num_tiles = smaller(shapes.block, key_tiles - tile);
        const bool is_cut = tile + num_tiles == key_tiles && keys.count % kTileRows != 0;
        announce_block(num_tiles, is_cut ? 1U << (num_tiles - 1) : 0);
        for (uint32_t i = 0; i < num_tiles; ++i) {
            push_key_tile(cache, shapes, keys, (tile + i) * kTileRows);
        }
        if (is_cut) {
            push_mask(keys.count % kTileRows, 0);
        }
    }
}

template <class Latent, class Rope>
void push_queries(const Latent& latent, const Rope& rope, const Shapes& shapes, uint32_t first_row,
                  uint32_t count) {
    cb_reserve_back(kCbQueryRows, shapes.row_tiles);
    uint32_t l1_addr = get_write_ptr(kCbQueryRows);
    for (uint32_t row = first_row; row < first_row + count; ++row) {
        noc_async_read(latent.get_noc_addr(row), l1_addr, shapes.latent_bytes);
        noc_async_read(rope.get_noc_addr(row), l1_addr + shapes.latent_bytes, shapes.rope_bytes);
        l1_addr += shapes.row_bytes();
    }
    noc_async_read_barrier();
    cb_push_back(kCbQueryRows, shapes.row_tiles);
}

// Takes the sums of this core's partners in their order, one at a time.
void receive_partials(uint32_t num_partners, uint32_t pages, uint32_t& num_received) {
    auto* arrived = reinterpret_cast<Words>(get_semaphore(get_compile_time_arg_val(10)));
    const uint32_t room = get_semaphore(get_compile_time_arg_val(9));
    constexpr uint32_t kFirstPartner = 13;  // behind the other arguments: x and y of each
    for (uint32_t partner = 0; partner < num_partners; ++partner) {
        cb_reserve_back(kCbPartial, pages);
        noc_semaphore_inc(
            get_noc_addr(get_arg_val<uint32_t>(kFirstPartner + 2 * partner),
                         get_arg_val<uint32_t>(kFirstPartner + 2 * partner + 1), room),
            1);
        num_received += 1;
        noc_semaphore_wait_min(arrived, num_received);
        cb_push_back(kCbPartial, pages);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t group = get_arg_val<uint32_t>(0);
    const uint32_t num_groups = get_arg_val<uint32_t>(1);
    const uint32_t slot = get_arg_val<uint32_t>(2);
    const uint32_t split = get_arg_val<uint32_t>(3);
    const uint32_t num_units = get_arg_val<uint32_t>(4);
    const Shapes shapes{.heads = get_compile_time_arg_val(0),
                        .latent_bytes = get_compile_time_arg_val(1),
                        .rope_bytes = get_compile_time_arg_val(2),
                        .row_tiles = get_compile_time_arg_val(3),
                        .block = get_compile_time_arg_val(4),
                        .page_size = get_compile_time_arg_val(5),
                        .table_width = get_compile_time_arg_val(6),
                        .chosen_width = get_compile_time_arg_val(7),
                        .tokens_each = get_compile_time_arg_val(8)};
    const uint32_t partial_pages = get_compile_time_arg_val(11);
    const uint32_t position_width = get_compile_time_arg_val(12);
    const uint32_t sequence_width = get_compile_time_arg_val(13);  // 0: no list
    const TensorAccessor latent(TensorAccessorArgs<15>(), get_arg_val<uint32_t>(5));
    const TensorAccessor rope(TensorAccessorArgs<17>(), get_arg_val<uint32_t>(6));
    const TensorAccessor cache_tensor(TensorAccessorArgs<19>(), get_arg_val<uint32_t>(7));
    const CacheRows<TensorAccessor> cache{cache_tensor, shapes.latent_bytes + shapes.rope_bytes,
                                          static_cast<uint32_t>(get_compile_time_arg_val(14))};
    const TensorAccessor table(TensorAccessorArgs<21>(), get_arg_val<uint32_t>(8));
    const TensorAccessor position_list(TensorAccessorArgs<23>(), get_arg_val<uint32_t>(9));
    const TensorAccessor chosen(TensorAccessorArgs<25>(), get_arg_val<uint32_t>(10));
    const TensorAccessor sequence_list(TensorAccessorArgs<27>(), get_arg_val<uint32_t>(11));
    const uint32_t num_partners = get_arg_val<uint32_t>(12);

    push_ones();
    clear(kCbQueryRows, shapes.row_tiles);
    clear(kCbKeyRows, 2 * shapes.row_tiles);
    WordList<TensorAccessor> positions{position_list, position_width, get_write_ptr(kCbWords)};
    WordList<TensorAccessor> sequences{sequence_list, larger(sequence_width, 1),
                                       get_write_ptr(kCbWords) + 64};
    const uint32_t head_tiles = (shapes.heads + kTileRows - 1) / kTileRows;
    uint32_t num_received = 0;
    for (uint32_t unit = group; unit < num_units; unit += num_groups) {
        const uint32_t token = unit / head_tiles;
        const uint32_t head = unit % head_tiles * kTileRows;
        const uint32_t count = smaller(kTileRows, shapes.heads - head);
        const auto position = static_cast<int32_t>(positions.at(token));
        const uint32_t sequence =
            sequence_width == 0 ? token / shapes.tokens_each : sequences.at(token);
        noc_async_read(table.get_noc_addr(sequence), get_write_ptr(kCbPages),
                       shapes.table_width * sizeof(uint32_t));
        noc_async_read_barrier();
        const bool is_sparse = shapes.chosen_width != 0;
        const Keys keys{is_sparse ? gather_chosen(chosen, token, shapes.chosen_width, position)
                                  : static_cast<uint32_t>(position + 1),
                        is_sparse ? reinterpret_cast<Words>(get_write_ptr(kCbChosen)) : nullptr,
                        reinterpret_cast<Words>(get_write_ptr(kCbPages)), shapes.page_size};
        const uint32_t block_keys = shapes.block * kTileRows;
        const uint32_t num_blocks = (keys.count + block_keys - 1) / block_keys;
        const uint32_t first = num_blocks * slot / split;
        const uint32_t end = num_blocks * (slot + 1) / split;
        const uint32_t row = token * shapes.heads + head;
        announce_unit(slot == 0 ? kResult : kPartial, end - first, num_partners);
        announce_rows(slot == 0 ? kResult : kPartial, row, 1, count);
        push_queries(latent, rope, shapes, row, count);
        push_blocks(cache, shapes, keys, first, end);
        receive_partials(num_partners, partial_pages, num_received);
    }
    announce_unit(kEnd, 0, 0);
    announce_rows(kEnd, 0, 0, 0);
    noc_async_atomic_barrier();
}
