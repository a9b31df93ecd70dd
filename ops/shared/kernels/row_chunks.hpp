// SPDX-License-Identifier: Apache-2.0
// Writes of tokens' rows whose tiles arrive in chunks.
#pragma once

#include "dataflow_api.h"

// Writes `args.row_bytes` bytes of the row of each token of `range` to `out`. A chunk of a row is a
// push of `args.chunk_tiles` tiles to `cb`, which hold `chunk_bytes` bytes.
template <class Accessor, class TokenRange, class WriterArgs>
inline void write_row_chunks(uint32_t cb, const Accessor& out, const TokenRange& range,
                             const WriterArgs& args, uint32_t chunk_bytes) {
    for (uint32_t token = range.first_token; token < range.first_token + range.num_tokens;
         ++token) {
        for (uint32_t offset = 0; offset < args.row_bytes; offset += chunk_bytes) {
            const uint32_t left = args.row_bytes - offset;
            cb_wait_front(cb, args.chunk_tiles);
            noc_async_write(get_read_ptr(cb), out.get_noc_addr(token, offset),
                            left < chunk_bytes ? left : chunk_bytes);
            // Flushed data has left L1, so compute may pack into the pages again. One barrier at
            // the end waits for arrival.
            noc_async_writes_flushed();
            cb_pop_front(cb, args.chunk_tiles);
        }
    }
    noc_async_write_barrier();
}
