// SPDX-License-Identifier: Apache-2.0
// Brings a head's weights where its first unit begins, and 32 token rows for each unit.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/fill_l1.hpp"
#include "shapes.hpp"

namespace {

constexpr uint32_t kCbInputRows = 0;
constexpr uint32_t kCbWeightRows = 2;
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kTileRowBytes = 64;
constexpr uint32_t kTileBytes = 2048;

// 32 rows of `tiles` tiles: pages `stride` apart from `first` on, zeros where there are none and
// behind the last element, which are multiplied too.
template <class Accessor>
void push_rows(const Accessor& tensor, uint32_t cb, uint32_t tiles, uint32_t first, uint32_t stride,
               uint32_t count, uint32_t bytes) {
    const uint32_t row_bytes = tiles * kTileRowBytes;
    cb_reserve_back(cb, tiles);
    const uint32_t l1_addr = get_write_ptr(cb);
    // Rows and columns that are not there are multiplied, too, so that they must be zeros.
    if (bytes < row_bytes || count < kTileRows) {
        fill_l1(l1_addr, tiles * kTileBytes, 0);
    }
    for (uint32_t row = 0; row < count; ++row) {
        noc_async_read(tensor.get_noc_addr(first + row * stride), l1_addr + row * row_bytes, bytes);
    }
    // One barrier for 32 rows.
    noc_async_read_barrier();
    cb_push_back(cb, tiles);
}

}  // namespace

void kernel_main() {
    const uint32_t first_unit = get_arg_val<uint32_t>(0);
    const uint32_t num_units = get_arg_val<uint32_t>(1);
    const HeadShapes shapes = head_shapes();
    const uint32_t input_bytes = get_compile_time_arg_val(8);
    const uint32_t head_rows = get_compile_time_arg_val(9);
    const uint32_t first_row = get_compile_time_arg_val(10);
    const uint32_t num_rows = get_compile_time_arg_val(11);
    const uint32_t weight_bytes = get_compile_time_arg_val(12);
    const TensorAccessor input(TensorAccessorArgs<13>(), get_arg_val<uint32_t>(2));
    const TensorAccessor weight(TensorAccessorArgs<15>(), get_arg_val<uint32_t>(3));

    for (uint32_t unit = first_unit; unit < first_unit + num_units; ++unit) {
        const uint32_t head = unit / shapes.token_tiles;
        // A head's weights stay for all of its units on this core.
        if (unit == first_unit || unit % shapes.token_tiles == 0) {
            for (uint32_t row = 0; row < num_rows; row += kTileRows) {
                push_rows(weight, kCbWeightRows, shapes.column_tiles,
                          head * head_rows + first_row + row, 1, smaller(kTileRows, num_rows - row),
                          weight_bytes);
            }
        }
        const uint32_t token = unit % shapes.token_tiles * kTileRows;
        // Rows of a head are `heads` pages apart, since the tensor is ordered by token.
        push_rows(input, kCbInputRows, shapes.inner_tiles, token * shapes.heads + head,
                  shapes.heads, smaller(kTileRows, shapes.tokens - token), input_bytes);
    }
}
