// SPDX-License-Identifier: Apache-2.0
// Stores the sums of this core's tokens, chunk by chunk of the row, in the format that they are
// packed in.
#include "../../shared/kernels/row_chunks.hpp"
#include "args.hpp"

void kernel_main() {
    using namespace tessera::ops;
    using namespace tessera::ops::moe_finalize;
    constexpr uint32_t cb_sum = index_of(Cb::Sum);
    const uint32_t out_addr = WriterTensors::Addresses::read().output;
    const auto range = TokenRange::read(WriterTensors::Addresses::kCount);
    const auto args = WriterArgs::read();
    const auto out = TensorAccessor(WriterTensors::output(), out_addr);

    // The output may be float32: a chunk has the same number of tiles, but more bytes than the
    // input's.
    write_row_chunks(cb_sum, out, range, args, args.chunk_tiles * get_tile_size(cb_sum));
}
