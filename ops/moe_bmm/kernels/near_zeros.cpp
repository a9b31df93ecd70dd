// SPDX-License-Identifier: Apache-2.0
// Writes zeros to this core's share of the tiles without tokens. It runs on cores without products,
// because writers of other cores would have to finish these zeros before they send rows.
#include "../../shared/valid_tiles/kernels/zero_rows.hpp"
#include "near_args.hpp"

void kernel_main() {
    using namespace tessera::ops::moe_bmm;
    const auto tiles = TileArgs::read();
    const auto mine = NearZeroShare::read(NearZeroTensors::Addresses::kCount);
    const auto tile_size = static_cast<uint32_t>(get_tile_size(index_of(ValidCb::ZeroTile)));
    const auto output =
        TensorAccessor(NearZeroTensors::output(), NearZeroTensors::output_address(), tile_size);
    const TokenCounts counts =
        read_counts(TensorAccessor(NearZeroTensors::counts(), NearZeroTensors::counts_address(),
                                   sizeof(uint32_t)),
                    ValidCb::WriterCounts,
                    tessera::ops::valid_tiles::CountArgs::read().counts_stride, tiles.num_experts);
    const Share zeros = part_of(count_zero_tiles(counts, tiles.token_tiles, tiles.column_tiles),
                                mine.num_cores, mine.index);
    write_zeros(output, tiles, counts, make_zero_tile(tile_size), zeros.first, zeros.count);
    noc_async_write_barrier();
}
