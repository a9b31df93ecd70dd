// SPDX-License-Identifier: Apache-2.0
// Stores rows [first, first + count) as they arrive, each at its position in the pages of its
// sequence.
#pragma once

#include "../../shared/kernels/cache_rows.hpp"
#include "../../shared/kernels/word_list.hpp"
#include "args.hpp"

using namespace tessera::ops::kv_cache_append;
using tessera::ops::index_of;

namespace {

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbMisaligned = index_of(Cb::Misaligned);

struct Places {
    WordList<PageAccessor> positions;
    WordList<PageAccessor> sequences;
    WordList<PageAccessor> pages;
    uint32_t page_size;
    uint32_t table_width;
    uint32_t tokens_each;
    bool has_sequences;

    // Returns −1 for a token that has no place.
    int32_t of(uint32_t token) {
        const auto position = static_cast<int32_t>(positions.at(token));
        if (position < 0) {
            return -1;
        }
        // Without a list the tokens of a sequence are consecutive.
        const uint32_t sequence = has_sequences ? sequences.at(token) : token / tokens_each;
        const uint32_t place = static_cast<uint32_t>(position);
        const uint32_t page = pages.at(sequence * table_width + place / page_size);
        return static_cast<int32_t>(page * page_size + place % page_size);
    }
};

// Writes a row. If its place in its page is not aligned as in L1, the core moves it first.
template <class Cache>
void write_row(const Cache& cache, uint32_t row, uint32_t l1_addr, uint32_t alignment) {
    // A row of L1 and its place in DRAM must agree modulo the alignment of a write.
    const uint32_t misaligned = cache.offset(row) % alignment;
    if (misaligned != 0) {
        const uint32_t beside_l1 = get_write_ptr(kCbMisaligned) + misaligned;
        const auto* from = reinterpret_cast<volatile tt_l1_ptr uint8_t*>(l1_addr);
        auto* to = reinterpret_cast<volatile tt_l1_ptr uint8_t*>(beside_l1);
        noc_async_writes_flushed();  // the row before was moved to the same place
        for (uint32_t i = 0; i < cache.row_bytes; ++i) {
            to[i] = from[i];
        }
        l1_addr = beside_l1;
    }
    noc_async_write(l1_addr, cache.address(row), cache.row_bytes);
}

// Form in which a token has one row.
struct OneRow {
    static int32_t place(Places& places, uint32_t row, uint32_t /*rows_each*/) {
        return places.of(row);
    }
};

// Form in which a token has a row for each head, and so has a position of the cache.
struct HeadRows {
    static int32_t place(Places& places, uint32_t row, uint32_t rows_each) {
        const int32_t place = places.of(row / rows_each);
        return place < 0 ? place
                         : place * static_cast<int32_t>(rows_each) +
                               static_cast<int32_t>(row % rows_each);
    }
};

// Runs the kernel. `Rows`: OneRow or HeadRows. Each form is a separate kernel, so tokens with one
// row need no division.
template <class Rows>
void append_rows() {
    const auto args = WriterArgs::read();
    const auto range = WriterRange::read();
    const uint32_t first = range.first_row;
    const uint32_t end = first + range.num_rows;
    const uint32_t block = args.block_rows;
    const WriterTensors::Addresses::Each address{WriterRange::kCount};
    const TensorAccessor output(WriterTensors::output(), address.output());
    const TensorAccessor table(WriterTensors::table(), address.table());
    const TensorAccessor positions(WriterTensors::positions(), address.positions());
    const TensorAccessor sequences(WriterTensors::sequences(), address.sequences());
    const CacheRows<PageAccessor> cache{output, args.row_bytes, args.in_one_row};

    Places places{{positions, args.position_width, get_write_ptr(index_of(Cb::Positions))},
                  {sequences, args.sequence_width == 0 ? 1 : args.sequence_width,
                   get_write_ptr(index_of(Cb::Sequences))},
                  {table, args.table_width, get_write_ptr(index_of(Cb::Pages))},
                  args.page_size,
                  args.table_width,
                  args.tokens_each,
                  args.sequence_width != 0};
    for (uint32_t row = first; row < end; row += block) {
        // Whole blocks, also for the last rows: the buffer wraps only at its exact end.
        cb_wait_front(kCbRows, block);
        for (uint32_t i = 0; i < block && row + i < end; ++i) {
            const int32_t place = Rows::place(places, row + i, args.rows_each);
            if (place >= 0) {
                write_row(cache, static_cast<uint32_t>(place),
                          get_read_ptr(kCbRows) + i * args.page_bytes, args.alignment);
            }
        }
        // The rows have left L1; the reader may fill their pages again.
        noc_async_writes_flushed();
        cb_pop_front(kCbRows, block);
    }
    noc_async_write_barrier();
}

}  // namespace
