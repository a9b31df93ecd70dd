// SPDX-License-Identifier: Apache-2.0
// Reads a user's queries, which are on this core, and the user's keys and values from a paged
// cache. Keys are transposed by tile: a row of tiles becomes a column. One barrier each.
#include "args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t cb_keys = tt::CBIndex::c_1;
constexpr uint32_t cb_values = tt::CBIndex::c_2;
constexpr uint32_t cb_positions = tt::CBIndex::c_8;
constexpr uint32_t cb_query_rows = tt::CBIndex::c_10;
constexpr std::size_t kFirstQueryArg = DecodeReaderTensors::Addresses::kCount;
constexpr std::size_t kFirstBlock = kFirstQueryArg + DecodeQueries::kCount;

// Puts element (row, column) of the user's tiles at tile row * across + column * down.
template <typename Accessor>
void read_tiles(uint32_t cb, const Accessor& cache, uint32_t rows, uint32_t columns,
                uint32_t across, uint32_t down) {
    cb_reserve_back(cb, rows * columns);
    const uint32_t landing = get_write_ptr(cb);
    const uint32_t tile_bytes = get_tile_size(cb);
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t first = get_arg_val<uint32_t>(kFirstBlock + row) * columns;
        for (uint32_t column = 0; column < columns; ++column) {
            noc_async_read_page(first + column, cache,
                                landing + (row * across + column * down) * tile_bytes);
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb, rows * columns);
}

}  // namespace

void kernel_main() {
    using Tensors = DecodeReaderTensors;
    const auto keys = TensorAccessor(Tensors::keys(), Tensors::keys_address());
    const auto values = TensorAccessor(Tensors::values(), Tensors::values_address());
    const DecodeQueries::Each queries{kFirstQueryArg};
    const uint32_t columns = queries.head_tiles();
    const uint32_t rows = queries.key_tiles();

    // The fill level of each cache is on this core; the writer requests it.
    cb_reserve_back(cb_positions, 1);
    cb_push_back(cb_positions, 1);
    cb_reserve_back(cb_query_rows, columns);
    noc_async_read(get_noc_addr(queries.address()), get_write_ptr(cb_query_rows), queries.bytes());
    noc_async_read_barrier();
    cb_push_back(cb_query_rows, columns);
    read_tiles(cb_keys, keys, rows, columns, 1, rows);
    read_tiles(cb_values, values, rows, columns, columns, 1);
}
