// SPDX-License-Identifier: Apache-2.0
// Stores rows [first, first + count) as they come, each where its sequence's pages have its
// position.
#include "../../shared/kernels/cache_rows.hpp"
#include "../../shared/kernels/word_list.hpp"

namespace {

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kCbPositions = 2;
constexpr uint32_t kCbSequences = 3;
constexpr uint32_t kCbPages = 4;
constexpr uint32_t kCbMisaligned = 5;

struct Places {
    WordList<TensorAccessor> positions;
    WordList<TensorAccessor> sequences;
    WordList<TensorAccessor> pages;
    uint32_t page_size;
    uint32_t table_width;
    uint32_t tokens_each;
    bool has_sequences;

    // −1 for a token that has none.
    int32_t of(uint32_t token) {
        const auto position = static_cast<int32_t>(positions.at(token));
        if (position < 0) {
            return -1;
        }
        const uint32_t sequence = has_sequences ? sequences.at(token) : token / tokens_each;
        const uint32_t place = static_cast<uint32_t>(position);
        const uint32_t page = pages.at(sequence * table_width + place / page_size);
        return static_cast<int32_t>(page * page_size + place % page_size);
    }
};

// Where the row's place in its page is not aligned as in L1, the core moves it first.
template <class Cache>
void write_row(const Cache& cache, uint32_t row, uint32_t l1_addr, uint32_t alignment) {
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

}  // namespace

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t end = first + get_arg_val<uint32_t>(1);
    const uint32_t row_bytes = get_compile_time_arg_val(0);
    const uint32_t page_bytes = get_compile_time_arg_val(1);
    const uint32_t block = get_compile_time_arg_val(2);
    const uint32_t table_width = get_compile_time_arg_val(4);
    const uint32_t sequence_width = get_compile_time_arg_val(7);  // 0: no list
    const uint32_t in_one_row = get_compile_time_arg_val(8);
    const uint32_t alignment = get_compile_time_arg_val(9);
    const TensorAccessor output(TensorAccessorArgs<10>(), get_arg_val<uint32_t>(2));
    const TensorAccessor table(TensorAccessorArgs<12>(), get_arg_val<uint32_t>(3));
    const TensorAccessor positions(TensorAccessorArgs<14>(), get_arg_val<uint32_t>(4));
    const TensorAccessor sequences(TensorAccessorArgs<16>(), get_arg_val<uint32_t>(5));
    const CacheRows<TensorAccessor> cache{output, row_bytes, in_one_row};

    Places places{
        {positions, static_cast<uint32_t>(get_compile_time_arg_val(6)),
         get_write_ptr(kCbPositions)},
        {sequences, sequence_width == 0 ? 1 : sequence_width, get_write_ptr(kCbSequences)},
        {table, table_width, get_write_ptr(kCbPages)},
        static_cast<uint32_t>(get_compile_time_arg_val(3)),
        table_width,
        static_cast<uint32_t>(get_compile_time_arg_val(5)),
        sequence_width != 0};
    for (uint32_t row = first; row < end; row += block) {
        cb_wait_front(kCbRows, block);
        for (uint32_t i = 0; i < block && row + i < end; ++i) {
            const int32_t place = places.of(row + i);
            if (place >= 0) {
                write_row(cache, static_cast<uint32_t>(place),
                          get_read_ptr(kCbRows) + i * page_bytes, alignment);
            }
        }
        noc_async_writes_flushed();
        cb_pop_front(kCbRows, block);
    }
    noc_async_write_barrier();
}
