// SPDX-License-Identifier: Apache-2.0
// Hands over, for every token of this core, the number of its rows on this device. Their values
// with the weight follow, chunk by chunk of a row, in the order of the token's experts.
#include "../../shared/kernels/push_word.hpp"
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_finalize;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbWeights = index_of(Cb::Weights);
constexpr uint32_t kCbContributions = index_of(Cb::Contributions);
constexpr uint32_t kCbTable = index_of(Cb::Table);
constexpr uint32_t kCbTokenWeights = index_of(Cb::TokenWeights);
constexpr uint32_t kAlignment = 64;
constexpr uint32_t kNone = 0xFFFFFFFF;

// Places of one token's rows, and their weights.
struct Token {
    const tt_l1_ptr uint32_t* rows;
    uint32_t weights_l1;
    uint32_t weight_bytes;
    uint32_t top_k;

    // Bits of the weight in bfloat16; those of float32 are rounded to nearest even.
    uint32_t weight(uint32_t k) const {
        if (weight_bytes == 2) {
            return reinterpret_cast<const tt_l1_ptr uint16_t*>(weights_l1)[k];
        }
        const uint32_t bits = reinterpret_cast<const tt_l1_ptr uint32_t*>(weights_l1)[k];
        return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    }

    uint32_t num_rows() const {
        uint32_t count = 0;
        for (uint32_t k = 0; k < top_k; ++k) {
            count += rows[k] != kNone ? 1 : 0;
        }
        return count;
    }
};

void push_chunk(const PageAccessor& rows, const Token& token, uint32_t chunk_tiles, uint32_t offset,
                uint32_t bytes) {
    // Experts in the token's order, so that the sum does not depend on the positions of their rows.
    for (uint32_t k = 0; k < token.top_k; ++k) {
        if (token.rows[k] == kNone) {
            continue;
        }
        cb_reserve_back(kCbRows, chunk_tiles);
        noc_async_read(rows.get_noc_addr(token.rows[k], offset), get_write_ptr(kCbRows), bytes);
        // The weight is handed over while the row is on its way.
        push_word(kCbWeights, token.weight(k));
        noc_async_read_barrier();
        cb_push_back(kCbRows, chunk_tiles);
    }
}

}  // namespace

void kernel_main() {
    const auto range = TokenRange::read(ReaderTensors::Addresses::kCount);
    const auto args = ReaderArgs::read();
    const uint32_t top_k = args.top_k;
    const TensorAccessor rows(ReaderTensors::rows(), ReaderTensors::rows_address());
    const TensorAccessor table(ReaderTensors::table(), ReaderTensors::table_address());
    const TensorAccessor weights(ReaderTensors::weights(), ReaderTensors::weights_address());

    // DRAM reads need source and destination to be equal modulo 64 bytes (Blackhole; 32 on
    // Wormhole). A core's first index may be anywhere, so the read begins before it.
    const uint32_t first_byte = range.first_token * top_k * sizeof(uint32_t);
    const uint32_t skipped = first_byte % kAlignment;
    const uint32_t table_l1 = get_write_ptr(kCbTable);
    const uint32_t weights_l1 = get_write_ptr(kCbTokenWeights);
    // One read brings all indices of the core. Weights are read with each token, because they have
    // one page per token.
    noc_async_read(table.get_noc_addr(0, first_byte - skipped), table_l1,
                   skipped + range.num_tokens * top_k * sizeof(uint32_t));
    noc_async_read_barrier();
    const uint32_t chunk_bytes = args.chunk_tiles * kTileBytes;
    for (uint32_t i = 0; i < range.num_tokens; ++i) {
        noc_async_read(weights.get_noc_addr(range.first_token + i), weights_l1,
                       top_k * args.weight_bytes);
        noc_async_read_barrier();
        const Token token{reinterpret_cast<tt_l1_ptr uint32_t*>(table_l1 + skipped) + i * top_k,
                          weights_l1, args.weight_bytes, top_k};
        // The number goes first, because compute needs it before it waits for the first row.
        push_word(kCbContributions, token.num_rows());
        for (uint32_t offset = 0; offset < args.row_bytes; offset += chunk_bytes) {
            const uint32_t left = args.row_bytes - offset;
            push_chunk(rows, token, args.chunk_tiles, offset,
                       left < chunk_bytes ? left : chunk_bytes);
        }
    }
}
