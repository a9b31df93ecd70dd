// SPDX-License-Identifier: Apache-2.0
// Works out this core's units of work from the list of blocks, or the counts of the batches, in
// device memory; announces each to compute and writer; gathers rows and feeds weights.
#include "block_scales.hpp"
#include "row_scales.hpp"
#include "table_words.hpp"
#include "tile_rows.hpp"

namespace {

constexpr uint32_t cb_rows = 0;
constexpr uint32_t cb_weights = 2;
constexpr uint32_t cb_compute_units = 4;
constexpr uint32_t cb_writer_units = 5;
constexpr uint32_t cb_zeros = 7;

enum CountsForm : uint32_t { kCounts, kPagedCounts, kNoCounts };
enum Announced : uint32_t { kEnd, kUnit, kZeroUnit };

struct Shapes {
    uint32_t row_bytes;
    uint32_t k_tiles;
    uint32_t n_tiles;
    uint32_t strip;
    uint32_t k_block;
    uint32_t k_chunk;
    uint32_t weight_bytes;   // of a tile
    uint32_t element_bytes;  // of a row
    uint32_t block_tiles;    // of K, that share a scale
    bool is_in_blocks;       // whether there are such scales

    uint32_t chunk_bytes() const { return k_chunk * tt::constants::TILE_WIDTH * element_bytes; }

    uint32_t strips() const { return div_up(n_tiles, strip); }
};

void announce_to_compute(uint32_t what, uint32_t columns, uint32_t has_new_rows) {
    // Compute learns of new rows here: it tilizes them once and keeps them for the strips that
    // follow.
    cb_reserve_back(cb_compute_units, 1);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_compute_units));
    words[0] = what;
    words[1] = columns;
    words[2] = has_new_rows;
    cb_push_back(cb_compute_units, 1);
}

void announce_to_writer(uint32_t what, uint32_t column, uint32_t columns, const TileRow& row) {
    cb_reserve_back(cb_writer_units, 1);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_writer_units));
    words[0] = what;
    words[1] = column;
    words[2] = columns;
    // This kernel alone reads the list, so that each row's target goes to the writer with the unit.
    for (uint32_t i = 0; what != kEnd && i < tile_height; ++i) {
        words[3 + i] = row.targets[i];
    }
    cb_push_back(cb_writer_units, 1);
}

// Gathers the rows, K in chunks, zeros where there is no row and after the last element.
template <class Accessor>
void gather_rows(const Accessor& rows, const Shapes& shapes, const TileRow& row) {
    const uint32_t chunk_bytes = shapes.chunk_bytes();
    for (uint32_t start = 0; start < shapes.row_bytes; start += chunk_bytes) {
        const uint32_t length = smaller(chunk_bytes, shapes.row_bytes - start);
        cb_reserve_back(cb_rows, shapes.k_chunk);
        uint32_t l1_addr = get_write_ptr(cb_rows);
        for (uint32_t i = 0; i < tile_height; ++i) {
            // NoC copies zeros from this core's own L1, so that the processor does not store them
            // one by one.
            if (row.sources[i] == kNobody) {
                noc_async_read(get_noc_addr(get_write_ptr(cb_zeros)), l1_addr, chunk_bytes);
            } else {
                noc_async_read(rows.get_noc_addr(row.sources[i], start), l1_addr, length);
                // The processor fills the rest of a short row: K is padded to whole tiles.
                auto* bytes = reinterpret_cast<tt_l1_ptr uint8_t*>(l1_addr);
                for (uint32_t at = length; at < chunk_bytes; ++at) {
                    bytes[at] = 0;
                }
            }
            l1_addr += chunk_bytes;
        }
        noc_async_read_barrier();
        cb_push_back(cb_rows, shapes.k_chunk);
    }
}

// Reads tiles of the strip's weights, a row of columns for each k. A push has the pages of whole
// blocks, also where fewer tiles are left. Scales of the blocks that end in it follow the push.
template <class Accessor, class InBlocks>
void feed_weights(const Accessor& weights, const Shapes& shapes, const InBlocks& scales,
                  const TileRow& row, uint32_t column, uint32_t columns) {
    uint32_t scaled = 0;
    const uint32_t pages = shapes.k_block * shapes.strip;
    for (uint32_t first = 0; first < shapes.k_tiles; first += shapes.k_block) {
        const uint32_t count = smaller(shapes.k_block, shapes.k_tiles - first);
        cb_reserve_back(cb_weights, pages);
        const uint32_t l1_addr = get_write_ptr(cb_weights);
        for (uint32_t c = 0; c < columns; ++c) {
            const uint32_t tile =
                (row.expert * shapes.n_tiles + column + c) * shapes.k_tiles + first;
            for (uint32_t k = 0; k < count; ++k) {
                noc_async_read_page(tile + k, weights,
                                    l1_addr + (k * shapes.strip + c) * shapes.weight_bytes);
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_weights, pages);
        const uint32_t fed = first + count;
        while (shapes.is_in_blocks && scaled * shapes.block_tiles < fed &&
               smaller((scaled + 1) * shapes.block_tiles, shapes.k_tiles) <= fed) {
            scales.push(scaled, row.sources, column, columns);
            scaled += 1;
        }
    }
}

template <class List, class Rows, class Weights, class AllScales, class InBlocks>
void feed_units(const List& list, uint32_t num_tile_rows, const Shapes& shapes, const Rows& rows,
                const Weights& weights, const AllScales& scales, const InBlocks& in_blocks) {
    const uint32_t core = get_arg_val<uint32_t>(6);
    const uint32_t num_cores = get_arg_val<uint32_t>(7);
    // Neighbouring units have the same rows: a core gathers rows once for several strips.
    const uint32_t num_units = num_tile_rows * shapes.strips();
    const uint32_t first = (uint32_t)((uint64_t)num_units * core / num_cores);
    const uint32_t end = (uint32_t)((uint64_t)num_units * (core + 1) / num_cores);

    TileRow row;
    row.clear(kNobody);
    uint32_t held = kNobody;
    for (uint32_t unit = first; unit < end; ++unit) {
        const uint32_t tile_row = unit / shapes.strips();
        const uint32_t column = unit % shapes.strips() * shapes.strip;
        const uint32_t columns = smaller(shapes.strip, shapes.n_tiles - column);
        const bool is_new = tile_row != held;
        if (is_new) {
            held = tile_row;
            list.find(tile_row, row);
        }
        // Counts may leave tile rows of a batch without rows.
        if (!row.has_rows) {
            continue;
        }
        // Rows without an expert are zeros in the output, so that no weights are read for them.
        if (row.expert == kNobody) {
            if (list.writes_zeros()) {
                announce_to_writer(kZeroUnit, column, columns, row);
            }
            continue;
        }
        announce_to_compute(kUnit, columns, is_new ? 1 : 0);
        announce_to_writer(kUnit, column, columns, row);
        if (is_new) {
            gather_rows(rows, shapes, row);
            if (scales.are_there()) {
                push_scales(scales, row);
            }
            if (shapes.is_in_blocks) {
                in_blocks.hold_rows(row.sources);
            }
        }
        if (shapes.is_in_blocks) {
            in_blocks.hold_columns(row.expert, column, columns);
        }
        feed_weights(weights, shapes, in_blocks, row, column, columns);
    }
    // Both wait for one more word, which ends their loops.
    announce_to_compute(kEnd, 0, 0);
    announce_to_writer(kEnd, 0, 0, row);
}

}  // namespace

void kernel_main() {
    const bool is_batched = get_compile_time_arg_val(0) != 0;
    const Shapes shapes{.row_bytes = get_compile_time_arg_val(1),
                        .k_tiles = get_compile_time_arg_val(2),
                        .n_tiles = get_compile_time_arg_val(3),
                        .strip = get_compile_time_arg_val(4),
                        .k_block = get_compile_time_arg_val(5),
                        .k_chunk = get_compile_time_arg_val(6),
                        .weight_bytes = static_cast<uint32_t>(get_tile_size(cb_weights)),
                        .element_bytes = get_compile_time_arg_val(16),
                        .block_tiles = get_compile_time_arg_val(24),
                        .is_in_blocks = get_compile_time_arg_val(19) != 0};
    const uint32_t scales_top_k = get_compile_time_arg_val(11);
    const uint32_t entries = get_compile_time_arg_val(12);
    const uint32_t num_experts = get_compile_time_arg_val(13);
    constexpr auto rows_args = TensorAccessorArgs<25>();
    constexpr auto weights_args = TensorAccessorArgs<rows_args.next_compile_time_args_offset()>();
    constexpr auto ids_args = TensorAccessorArgs<weights_args.next_compile_time_args_offset()>();
    constexpr auto experts_args = TensorAccessorArgs<ids_args.next_compile_time_args_offset()>();
    constexpr auto end_args = TensorAccessorArgs<experts_args.next_compile_time_args_offset()>();
    constexpr auto scales_args = TensorAccessorArgs<end_args.next_compile_time_args_offset()>();
    constexpr auto row_scales_args =
        TensorAccessorArgs<scales_args.next_compile_time_args_offset()>();
    constexpr auto expert_scales_args =
        TensorAccessorArgs<row_scales_args.next_compile_time_args_offset()>();
    const auto row_scales = TensorAccessor(row_scales_args, get_arg_val<uint32_t>(8));
    const auto expert_scales = TensorAccessor(expert_scales_args, get_arg_val<uint32_t>(9));
    const auto rows = TensorAccessor(rows_args, get_arg_val<uint32_t>(0));
    const auto weights =
        TensorAccessor(weights_args, get_arg_val<uint32_t>(1), shapes.weight_bytes);
    const auto ids = TensorAccessor(ids_args, get_arg_val<uint32_t>(2));
    const auto experts = TensorAccessor(experts_args, get_arg_val<uint32_t>(3));
    const auto end = TensorAccessor(end_args, get_arg_val<uint32_t>(4));
    const auto scales = TensorAccessor(scales_args, get_arg_val<uint32_t>(5));

    const uint32_t row_form = get_compile_time_arg_val(17);
    const bool has_weight_scales = get_compile_time_arg_val(18) != 0;
    const Scales<decltype(scales), decltype(row_scales), decltype(expert_scales)> all_scales{
        scales,
        scales_top_k,
        row_scales,
        expert_scales,
        shapes.is_in_blocks ? kNoRows : row_form,
        has_weight_scales && !shapes.is_in_blocks};
    const BlockScales<decltype(row_scales), decltype(expert_scales)> in_blocks{
        row_scales,
        expert_scales,
        row_form,
        has_weight_scales,
        get_compile_time_arg_val(20),
        get_compile_time_arg_val(21),
        get_compile_time_arg_val(22),
        get_compile_time_arg_val(23),
        shapes.strip};
    fill_words(words_at(get_write_ptr(cb_zeros)), shapes.chunk_bytes() / 4, 0);
    const uint32_t tables = get_write_ptr(cb_tables);
    if (is_batched) {
        const uint32_t form = get_compile_time_arg_val(14);
        // Without counts all rows of each batch are taken.
        if (form == kNoCounts) {
            fill_words(words_at(tables), num_experts, entries);
        } else {
            read_counts(ids, num_experts, form == kPagedCounts, tables);
        }
        const BatchList list{words_at(tables), num_experts, entries};
        feed_units(list, list.num_tile_rows(), shapes, rows, weights, all_scales, in_blocks);
        return;
    }
    // The length of the list is on the device only: moe_align_block_size wrote it there.
    read_pages(end, 0, 1, tables, 0, 4);
    const uint32_t num_listed = words_at(tables)[0];
    const BlockList<decltype(ids), decltype(experts)> list{ids,
                                                           experts,
                                                           entries,
                                                           get_compile_time_arg_val(14),
                                                           get_compile_time_arg_val(7),
                                                           get_compile_time_arg_val(8) != 0,
                                                           get_compile_time_arg_val(9) != 0,
                                                           get_compile_time_arg_val(10),
                                                           get_compile_time_arg_val(15)};
    // Tile rows do not reach into the next block, which may have another expert.
    const uint32_t tile_rows = num_listed / list.block_size * div_up(list.block_size, tile_height);
    feed_units(list, tile_rows, shapes, rows, weights, all_scales, in_blocks);
}
