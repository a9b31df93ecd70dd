// SPDX-License-Identifier: Apache-2.0
// Stores the sums of this core's tokens.
#include "sum.hpp"

using namespace tessera::ops::token_exchange;

void kernel_main() {
    const uint32_t row_bytes = RowArgs::read().row_bytes;
    const auto output =
        TensorAccessor(SumWriterTensors::output(), SumWriterTensors::output_address());
    const auto range = TokenRange::read(SumWriterTensors::Addresses::kCount);

    for (uint32_t token = range.first_token; token < range.first_token + range.num_tokens;
         ++token) {
        for (uint32_t offset = 0; offset < row_bytes; offset += kSumTileBytes) {
            const uint32_t left = row_bytes - offset;
            cb_wait_front(kCbSum, 1);
            noc_async_write(get_read_ptr(kCbSum), output.get_noc_addr(token, offset),
                            left < kSumTileBytes ? left : kSumTileBytes);
            // The tile's data has left L1; arrival is awaited once, at the end.
            noc_async_writes_flushed();
            cb_pop_front(kCbSum, 1);
        }
    }
    noc_async_write_barrier();
}
