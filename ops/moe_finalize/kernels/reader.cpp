// SPDX-License-Identifier: Apache-2.0
// Hands over, for every token of this core, the number of its rows on this device and, chunk by
// chunk of a row, their values with the weight, in the order of the token's experts.
#include "../../shared/kernels/push_word.hpp"
#include "dataflow_api.h"

namespace {

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kCbWeights = 1;
constexpr uint32_t kCbContributions = 2;
constexpr uint32_t kCbTable = 3;
constexpr uint32_t kCbTokenWeights = 4;
constexpr uint32_t kTileBytes = 2048;
constexpr uint32_t kAlignment = 64;
constexpr uint32_t kNone = 0xFFFFFFFF;

// Where one token's rows stand, and their weights.
struct Token {
    const tt_l1_ptr uint32_t* rows;
    const tt_l1_ptr uint16_t* weights;
    uint32_t top_k;

    uint32_t num_rows() const {
        uint32_t count = 0;
        for (uint32_t k = 0; k < top_k; ++k) {
            count += rows[k] != kNone ? 1 : 0;
        }
        return count;
    }
};

void push_chunk(const TensorAccessor& rows, const Token& token, uint32_t chunk_tiles,
                uint32_t offset, uint32_t bytes) {
    for (uint32_t k = 0; k < token.top_k; ++k) {
        if (token.rows[k] == kNone) {
            continue;
        }
        cb_reserve_back(kCbRows, chunk_tiles);
        noc_async_read(rows.get_noc_addr(token.rows[k], offset), get_write_ptr(kCbRows), bytes);
        push_word(kCbWeights, token.weights[k]);
        noc_async_read_barrier();
        cb_push_back(kCbRows, chunk_tiles);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t first_token = get_arg_val<uint32_t>(3);
    const uint32_t num_tokens = get_arg_val<uint32_t>(4);
    const uint32_t row_bytes = get_compile_time_arg_val(0);
    const uint32_t chunk_tiles = get_compile_time_arg_val(1);
    const uint32_t top_k = get_compile_time_arg_val(2);
    const TensorAccessor rows(TensorAccessorArgs<3>(), get_arg_val<uint32_t>(0));
    const TensorAccessor table(TensorAccessorArgs<5>(), get_arg_val<uint32_t>(1));
    const TensorAccessor weights(TensorAccessorArgs<7>(), get_arg_val<uint32_t>(2));

    const uint32_t first_byte = first_token * top_k * sizeof(uint32_t);
    const uint32_t skipped = first_byte % kAlignment;
    const uint32_t table_l1 = get_write_ptr(kCbTable);
    const uint32_t weights_l1 = get_write_ptr(kCbTokenWeights);
    noc_async_read(table.get_noc_addr(0, first_byte - skipped), table_l1,
                   skipped + num_tokens * top_k * sizeof(uint32_t));
    noc_async_read_barrier();
    const uint32_t chunk_bytes = chunk_tiles * kTileBytes;
    for (uint32_t i = 0; i < num_tokens; ++i) {
        noc_async_read(weights.get_noc_addr(first_token + i), weights_l1, top_k * sizeof(uint16_t));
        noc_async_read_barrier();
        const Token token{reinterpret_cast<tt_l1_ptr uint32_t*>(table_l1 + skipped) + i * top_k,
                          reinterpret_cast<tt_l1_ptr uint16_t*>(weights_l1), top_k};
        push_word(kCbContributions, token.num_rows());
        for (uint32_t offset = 0; offset < row_bytes; offset += chunk_bytes) {
            const uint32_t left = row_bytes - offset;
            push_chunk(rows, token, chunk_tiles, offset, left < chunk_bytes ? left : chunk_bytes);
        }
    }
}
