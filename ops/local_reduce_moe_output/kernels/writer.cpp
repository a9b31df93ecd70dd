// SPDX-License-Identifier: Apache-2.0
// Stores the sums of this core's tokens, chunk by chunk of the row.
#include "../../shared/kernels/row_chunks.hpp"
#include "args.hpp"

void kernel_main() {
    using namespace tessera::ops;
    using namespace tessera::ops::local_reduce_moe_output;
    const uint32_t out_addr = WriterTensors::Addresses::read().output;
    const auto range = TokenRange::read(WriterTensors::Addresses::kCount);
    const auto args = WriterArgs::read();
    const auto out = TensorAccessor(WriterTensors::output(), out_addr);

    write_row_chunks(index_of(Cb::Sum), out, range, args, args.chunk_tiles * kTileBytes);
}
