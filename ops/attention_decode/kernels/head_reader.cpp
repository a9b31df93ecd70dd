// SPDX-License-Identifier: Apache-2.0
// Reads queries of a token that share a head of keys and values, and the rows of that head that the
// token attends to: those of its window, or all up to its position.
#include "../../shared/attention/kernels/head_rows.hpp"
#include "token_keys.hpp"

namespace {

constexpr uint32_t kFirstPartner =
    ReaderShare::kCount + HeadReaderTensors::Addresses::kCount + PartnerCount::kCount;

// Queries that a unit has.
struct Unit {
    uint32_t token;
    uint32_t kv_head;
    uint32_t first_head;
    uint32_t count;
};

struct Shapes : HeadReaderArgs {
    uint32_t group() const { return heads / kv_heads; }
    // Unit `index` of all: tokens first, then heads of keys, then 32 queries of a group each.
    Unit unit(uint32_t index) const {
        const uint32_t strips = div_up(group(), kTileRows);
        const uint32_t kv_head = index / strips % kv_heads;
        const uint32_t first = index % strips * kTileRows;
        return {index / (strips * kv_heads), kv_head, kv_head * group() + first,
                smaller(kTileRows, group() - first)};
    }
    int32_t first_position(int32_t position) const {
        const int32_t first = position + 1 - static_cast<int32_t>(window);
        return window == 0 || first < 0 ? 0 : first;
    }
};

// Counts from the first position that the token attends to.
struct SeenPositions {
    Keys keys;
    uint32_t first;

    uint32_t row(uint32_t place) const { return keys.row(first + place); }
    bool are_consecutive() const { return keys.chosen == nullptr; }
};

template <class Table, class Chosen>
SeenPositions find_positions(const Table& table, const Chosen& chosen, const Shapes& shapes,
                             uint32_t sequence, uint32_t token, int32_t position) {
    noc_async_read(table.get_noc_addr(sequence), get_write_ptr(kCbPages),
                   shapes.table_width * sizeof(uint32_t));
    noc_async_read_barrier();
    const int32_t first = shapes.first_position(position);
    const auto* pages = reinterpret_cast<Words>(get_write_ptr(kCbPages));
    if (shapes.chosen_width != 0) {
        const uint32_t count = gather_chosen(chosen, token, shapes.chosen_width, position, first);
        return {{count, reinterpret_cast<Words>(get_write_ptr(kCbChosen)), pages, shapes.page_size},
                0};
    }
    return {{static_cast<uint32_t>(position + 1 - first), nullptr, pages, shapes.page_size},
            static_cast<uint32_t>(first)};
}

// Pushes blocks [first, end) of the keys. All queries of a unit have the same blocks.
void push_blocks(const HeadCaches& caches, const SeenPositions& positions, uint32_t block_tiles,
                 uint32_t head, uint32_t first, uint32_t end) {
    const uint32_t count = positions.keys.count;
    const uint32_t key_tiles = div_up(count, kTileRows);
    for (uint32_t block = first; block < end; ++block) {
        const uint32_t tile = block * block_tiles;
        const uint32_t num_tiles = smaller(block_tiles, key_tiles - tile);
        const auto seen = [&](uint32_t i) {
            return SeenColumns{0, static_cast<int32_t>(count - (tile + i) * kTileRows), 0};
        };
        const uint32_t masked = announce_head_block(num_tiles, seen);
        for (uint32_t i = 0; i < num_tiles; ++i) {
            push_head_tile(caches, positions, head, (tile + i) * kTileRows, count);
        }
        push_head_masks(num_tiles, masked, block_tiles, seen);
    }
}

struct Tensors {
    using All = HeadReaderTensors;
    static constexpr uint32_t kFirst = ReaderShare::kCount;

    PageAccessor query{All::query(), All::query_address(kFirst)};
    PageAccessor keys{All::keys(), All::keys_address(kFirst)};
    PageAccessor values{All::values(), All::values_address(kFirst)};
    PageAccessor table{All::table(), All::table_address(kFirst)};
    PageAccessor positions{All::positions(), All::positions_address(kFirst)};
    PageAccessor chosen{All::chosen(), All::chosen_address(kFirst)};
    PageAccessor sequences{All::sequences(), All::sequences_address(kFirst)};
    PageAccessor sinks{All::sinks(), All::sinks_address(kFirst)};
};

// Fills what is the same for all units.
void push_constants(const Tensors& tensors, const Shapes& shapes, const HeadCaches& caches) {
    push_ones();
    clear_head_rows(caches);
    if (shapes.has_sinks != 0) {
        read_sinks(tensors.sinks, shapes.heads);
    }
}

}  // namespace

void kernel_main() {
    const auto share = ReaderShare::read();
    const Shapes shapes{HeadReaderArgs::read()};
    const Tensors tensors;
    const HeadCaches caches{{tensors.keys, shapes.key_bytes, shapes.key_heads_each},
                            {tensors.values, shapes.value_bytes, shapes.value_heads_each},
                            shapes.kv_heads,
                            shapes.key_tiles,
                            shapes.value_tiles};
    const uint32_t num_partners = PartnerCount::read(kFirstPartner - 1).num_partners;

    push_constants(tensors, shapes, caches);
    WordList<PageAccessor> positions{tensors.positions, shapes.position_width,
                                     get_write_ptr(kCbWords)};
    WordList<PageAccessor> sequences{tensors.sequences, larger(shapes.sequence_width, 1),
                                     get_write_ptr(kCbWords) + 64};
    const Announced what = share.slot == 0 ? kResult : kPartial;
    uint32_t num_received = 0;
    for (uint32_t index = share.group; index < share.num_units; index += share.num_groups) {
        const Unit unit = shapes.unit(index);
        const uint32_t sequence =
            shapes.sequence_width == 0 ? unit.token / shapes.tokens_each : sequences.at(unit.token);
        const SeenPositions seen =
            find_positions(tensors.table, tensors.chosen, shapes, sequence, unit.token,
                           static_cast<int32_t>(positions.at(unit.token)));
        const uint32_t num_blocks = div_up(seen.keys.count, shapes.block * kTileRows);
        const uint32_t first = num_blocks * share.slot / share.split;
        const uint32_t end = num_blocks * (share.slot + 1) / share.split;
        announce_unit(what, end - first, num_partners);
        announce_rows(what, unit.token * shapes.heads + unit.first_head, 1, unit.count);
        push_query_rows(tensors.query, caches, unit.token * shapes.heads + unit.first_head, 1,
                        unit.count);
        if (shapes.has_sinks != 0 && what == kResult) {
            push_sinks(unit.first_head, 1, unit.count);
        }
        push_blocks(caches, seen, shapes.block, unit.kv_head, first, end);
        receive_partials(shapes, kFirstPartner, num_partners, num_received);
    }
    end_units();
}
