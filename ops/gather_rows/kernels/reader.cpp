// SPDX-License-Identifier: Apache-2.0
// Hands over rows [first, first + count) of the output: the input's rows that a table, or a range,
// says, and filling where it says none.
#include "../../shared/expert_rows/kernels/row_pieces.hpp"

namespace {

constexpr uint32_t cb_rows = 0;
constexpr uint32_t cb_indices = 1;
constexpr uint32_t cb_limit = 2;
constexpr uint32_t cb_fill = 4;

// Which row of the input an output row is.
template <class Accessor>
struct Sources {
    const Accessor& index;
    uint32_t width;  // entries of a page of the index; 0: a range
    uint32_t first;  // of the range
    uint32_t divisor;
    uint32_t entries_at_once;
    uint32_t held_page = 0xFFFFFFFF;
    uint32_t held_first = 0;

    uint32_t of(uint32_t row) {
        if (width == 0) {
            return first + row;
        }
        const uint32_t page = row / width;
        const uint32_t start = row % width / entries_at_once * entries_at_once;
        if (page != held_page || start != held_first) {
            held_page = page;
            held_first = start;
            const uint32_t left = width - start;
            noc_async_read(index.get_noc_addr(page, start * 4), get_write_ptr(cb_indices),
                           (left < entries_at_once ? left : entries_at_once) * 4);
            noc_async_read_barrier();
        }
        const uint32_t entry = words_at(get_write_ptr(cb_indices))[row % width - start];
        return entry == kNobody ? kNobody : entry / divisor;
    }
};

}  // namespace

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(3);
    const uint32_t count = get_arg_val<uint32_t>(4);
    const RowPieces pieces = row_pieces();
    const uint32_t has_limit = get_compile_time_arg_val(4);
    uint32_t input_rows = get_compile_time_arg_val(5);
    constexpr auto input_args = TensorAccessorArgs<11>();
    constexpr auto index_args = TensorAccessorArgs<input_args.next_compile_time_args_offset()>();
    constexpr auto limit_args = TensorAccessorArgs<index_args.next_compile_time_args_offset()>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0));
    const auto index = TensorAccessor(index_args, get_arg_val<uint32_t>(1));
    const auto limit = TensorAccessor(limit_args, get_arg_val<uint32_t>(2));
    Sources<decltype(index)> sources{index, get_compile_time_arg_val(7),
                                     get_compile_time_arg_val(8), get_compile_time_arg_val(6),
                                     get_compile_time_arg_val(10)};

    if (has_limit == kLimitsInput) {
        read_pages(limit, 0, 1, get_write_ptr(cb_limit), 0, 4);
        const uint32_t given = words_at(get_write_ptr(cb_limit))[0];
        input_rows = given < input_rows ? given : input_rows;
    }
    const uint32_t end = end_of_rows(limit, has_limit, cb_limit, first, count);
    const uint32_t fill_l1 = get_write_ptr(cb_fill);
    fill_words(words_at(fill_l1), pieces.page_bytes / 4, get_compile_time_arg_val(9));
    PieceFiller filler{cb_rows, pieces};
    for (uint32_t row = first; row < end; ++row) {
        const uint32_t source = sources.of(row);
        for (uint32_t offset = 0; offset < pieces.row_bytes; offset += pieces.piece_bytes) {
            filler.add(
                source < input_rows ? input.get_noc_addr(source, offset) : get_noc_addr(fill_l1),
                pieces.length_at(offset));
        }
    }
    filler.finish();
}
