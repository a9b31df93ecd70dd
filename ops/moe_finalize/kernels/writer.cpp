// SPDX-License-Identifier: Apache-2.0
// Stores the sums of this core's tokens, chunk by chunk of the row, in the format that they are
// packed in.
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_finalize;

constexpr uint32_t kCbSum = index_of(Cb::Sum);

}  // namespace

void kernel_main() {
    const uint32_t out_addr = WriterTensors::Addresses::read().output;
    const auto range = TokenRange::read(WriterTensors::Addresses::kCount);
    const auto args = WriterArgs::read();
    const auto out = TensorAccessor(WriterTensors::output(), out_addr);

    // The output may be float32: a chunk has the same number of tiles, but more bytes than the
    // input's.
    const uint32_t chunk_bytes = args.chunk_tiles * get_tile_size(kCbSum);
    for (uint32_t token = range.first_token; token < range.first_token + range.num_tokens;
         ++token) {
        for (uint32_t offset = 0; offset < args.row_bytes; offset += chunk_bytes) {
            const uint32_t left = args.row_bytes - offset;
            cb_wait_front(kCbSum, args.chunk_tiles);
            noc_async_write(get_read_ptr(kCbSum), out.get_noc_addr(token, offset),
                            left < chunk_bytes ? left : chunk_bytes);
            // Flushed data has left L1, so compute may pack into the pages again. One barrier at
            // the end waits for arrival.
            noc_async_writes_flushed();
            cb_pop_front(kCbSum, args.chunk_tiles);
        }
    }
    noc_async_write_barrier();
}
