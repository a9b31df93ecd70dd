// SPDX-License-Identifier: Apache-2.0
// Brings 32 rows of 128 codes at a time, with the scale of each row's block in column 0 of a tile.
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "../../shared/kernels/arithmetic.hpp"

namespace {

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kCbScale = 7;
constexpr uint32_t kCbScaleRows = 13;
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;

}  // namespace

void kernel_main() {
    const uint32_t first_group = get_arg_val<uint32_t>(0);
    const uint32_t num_groups = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_compile_time_arg_val(0);
    const uint32_t columns = get_compile_time_arg_val(1);
    const uint32_t block_rows = get_compile_time_arg_val(2);  // that share a row of scales
    const uint32_t scale_bytes = get_compile_time_arg_val(3);
    const uint32_t scale_stride = get_compile_time_arg_val(4);
    const TensorAccessor codes(TensorAccessorArgs<5>(), get_arg_val<uint32_t>(2));
    const TensorAccessor scales(TensorAccessorArgs<7>(), get_arg_val<uint32_t>(3));

    const uint32_t scales_l1 = get_write_ptr(kCbScaleRows);
    const uint32_t last_block = scale_bytes / sizeof(uint32_t) - 1;
    for (uint32_t group = first_group; group < first_group + num_groups; ++group) {
        const uint32_t first = group * kTileRows;
        const uint32_t count = smaller(kTileRows, rows - first);
        for (uint32_t row = 0; row < count; ++row) {
            noc_async_read(scales.get_noc_addr((first + row) / block_rows),
                           scales_l1 + row * scale_stride, scale_bytes);
        }
        for (uint32_t column = 0; column < columns; column += kBlock) {
            cb_reserve_back(kCbRows, kStripTiles);
            uint32_t l1_addr = get_write_ptr(kCbRows);
            for (uint32_t row = first; row < first + count; ++row) {
                noc_async_read(codes.get_noc_addr(row, column), l1_addr,
                               smaller(kBlock, columns - column));
                l1_addr += kBlock;
            }
            noc_async_read_barrier();
            cb_push_back(kCbRows, kStripTiles);
            cb_reserve_back(kCbScale, 1);
            auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScale));
            const uint32_t block = smaller(column / kBlock, last_block);
            for (uint32_t row = 0; row < count; ++row) {
                tile[scale_rule::word_of_row(row)] = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(
                    scales_l1 + row * scale_stride)[block];
            }
            cb_push_back(kCbScale, 1);
        }
    }
}
