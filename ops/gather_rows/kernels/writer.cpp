// SPDX-License-Identifier: Apache-2.0
// Stores rows [first, first + count) of the output as they come.
#include "../../shared/expert_rows/kernels/row_pieces.hpp"

void kernel_main() {
    constexpr uint32_t cb_rows = 0;
    constexpr uint32_t cb_limit = 3;
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const RowPieces pieces = row_pieces();
    const uint32_t has_limit = get_compile_time_arg_val(4);
    const uint32_t output_first = get_compile_time_arg_val(5);
    constexpr auto limit_args = TensorAccessorArgs<6>();
    constexpr auto output_args = TensorAccessorArgs<limit_args.next_compile_time_args_offset()>();
    const auto limit = TensorAccessor(limit_args, get_arg_val<uint32_t>(0));
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1));

    const uint32_t end = end_of_rows(limit, has_limit, cb_limit, first, count);
    PieceTaker taker{cb_rows, pieces};
    for (uint32_t row = first; row < end; ++row) {
        for (uint32_t offset = 0; offset < pieces.row_bytes; offset += pieces.piece_bytes) {
            noc_async_write(taker.next(), output.get_noc_addr(output_first + row, offset),
                            pieces.length_at(offset));
            taker.taken();
        }
    }
    taker.finish();
    noc_async_write_barrier();
}
