// SPDX-License-Identifier: Apache-2.0
// The pages of this core's shard, and their places in the other tensor.
#pragma once

#include "dataflow_api.h"

// Calls `move(page, remote, l1_addr)` for each page that this kernel moves, row by row.
template <class Move>
inline void move_shard_pages(Move move) {
    const uint32_t remote_addr = get_arg_val<uint32_t>(0);
    const uint32_t shard_addr = get_arg_val<uint32_t>(1);
    const uint32_t first_page = get_arg_val<uint32_t>(2);   // of the tensor, top left of the shard
    const uint32_t num_columns = get_arg_val<uint32_t>(3);  // of the shard inside the tensor
    const uint32_t begin = get_arg_val<uint32_t>(4);        // pages of the shard, row by row
    const uint32_t end = get_arg_val<uint32_t>(5);
    const uint32_t tensor_columns = get_compile_time_arg_val(0);
    const uint32_t shard_columns = get_compile_time_arg_val(1);
    const uint32_t page_size = get_compile_time_arg_val(2);
    const uint32_t page_stride = get_compile_time_arg_val(3);
    constexpr auto remote_args = TensorAccessorArgs<4>();
    const auto remote = TensorAccessor(remote_args, remote_addr, page_size);

    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t row = i / num_columns;
        const uint32_t column = i % num_columns;
        move(first_page + row * tensor_columns + column, remote,
             shard_addr + (row * shard_columns + column) * page_stride);
    }
}
