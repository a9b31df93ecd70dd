// SPDX-License-Identifier: Apache-2.0
// Brings 32 rows of tokens and 32 of experts for each unit, some columns at a time.
#include "../../shared/kernels/arithmetic.hpp"
#include "dataflow_api.h"

namespace {

constexpr uint32_t kCbTokenRows = 0;
constexpr uint32_t kCbExpertRows = 1;
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kTileBytes = 2048;

void clear(uint32_t l1_addr, uint32_t bytes) {
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < bytes / sizeof(uint32_t); ++i) {
        words[i] = 0;
    }
}

// A matrix of bfloat16 rows.
struct Rows {
    TensorAccessor tensor;
    uint32_t count;
    uint32_t cb;
};

// Columns behind the last one are multiplied, so they must be zeros; rows behind the last one come
// out in rows and columns that nobody stores.
void push(const Rows& rows, uint32_t first_row, uint32_t offset, uint32_t bytes, uint32_t chunk) {
    const uint32_t stride = chunk * kTileBytes / kTileRows;
    cb_reserve_back(rows.cb, chunk);
    uint32_t l1_addr = get_write_ptr(rows.cb);
    if (bytes < stride) {
        clear(l1_addr, chunk * kTileBytes);
    }
    const uint32_t end = smaller(first_row + kTileRows, rows.count);
    for (uint32_t row = first_row; row < end; ++row) {
        noc_async_read(rows.tensor.get_noc_addr(row, offset), l1_addr, bytes);
        l1_addr += stride;
    }
    noc_async_read_barrier();
    cb_push_back(rows.cb, chunk);
}

}  // namespace

void kernel_main() {
    const uint32_t first_unit = get_arg_val<uint32_t>(0);
    const uint32_t num_units = get_arg_val<uint32_t>(1);
    const uint32_t chunk = get_compile_time_arg_val(1);
    const uint32_t expert_tiles = get_compile_time_arg_val(2);
    const uint32_t row_bytes = get_compile_time_arg_val(5) * 2;
    const Rows tokens{TensorAccessor(TensorAccessorArgs<6>(), get_arg_val<uint32_t>(2)),
                      static_cast<uint32_t>(get_compile_time_arg_val(3)), kCbTokenRows};
    const Rows experts{TensorAccessor(TensorAccessorArgs<8>(), get_arg_val<uint32_t>(3)),
                       static_cast<uint32_t>(get_compile_time_arg_val(4)), kCbExpertRows};

    const uint32_t chunk_bytes = chunk * kTileBytes / kTileRows;
    for (uint32_t unit = first_unit; unit < first_unit + num_units; ++unit) {
        for (uint32_t offset = 0; offset < row_bytes; offset += chunk_bytes) {
            const uint32_t bytes = smaller(chunk_bytes, row_bytes - offset);
            push(tokens, unit / expert_tiles * kTileRows, offset, bytes, chunk);
            push(experts, unit % expert_tiles * kTileRows, offset, bytes, chunk);
        }
    }
}
