// SPDX-License-Identifier: Apache-2.0
// Exchanges blocks of weights with the cores of its column over NoC 1, and stores the output of
// each pass.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/block_turns.hpp"
#include "dataflow_api.h"
#include "multicast_args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::linear;

constexpr uint32_t kCbOwnWeights = index_of(MulticastCb::OwnWeights);
constexpr uint32_t kCbWeights = index_of(MulticastCb::Weights);
constexpr uint32_t kCbOut = index_of(MulticastCb::Output);
constexpr uint32_t kTurnArg = MulticastShare::kCount + MulticastWrites::Addresses::kCount;

void exchange_weights(const MulticastArgs& args, const BlockTurns& turns, uint32_t block,
                      uint32_t num_tiles) {
    const uint32_t pages = args.k_block * args.width;
    cb_reserve_back(kCbWeights, pages);
    if (turns.is_own(block)) {
        cb_wait_front(kCbOwnWeights, pages);
        turns.send(get_read_ptr(kCbOwnWeights), get_write_ptr(kCbWeights),
                   num_tiles * get_tile_size(kCbWeights));
        cb_pop_front(kCbOwnWeights, pages);
    } else {
        turns.receive(block);
    }
    cb_push_back(kCbWeights, pages);
}

// Stores up to kOutTiles adjacent tiles of one tile row.
template <class Accessor>
void store_strip(const Accessor& output, const MulticastArgs& args, uint32_t tile_row,
                 uint32_t column, uint32_t count) {
    const uint32_t start = column * kTileRowBytes;
    const uint32_t bytes = smaller(count * kTileRowBytes, 2 * args.columns - start);
    const uint32_t first_row = tile_row * kRowsOfTile;
    const uint32_t rows = smaller(kRowsOfTile, args.rows - first_row);
    cb_wait_front(kCbOut, kOutTiles);
    uint32_t l1_addr = get_read_ptr(kCbOut);
    for (uint32_t i = 0; i < rows; ++i) {
        noc_async_write(l1_addr, output.get_noc_addr(first_row + i, start), bytes);
        l1_addr += kOutTiles * kTileRowBytes;
    }
    noc_async_writes_flushed();
    cb_pop_front(kCbOut, kOutTiles);
}

template <class Accessor>
void store_pass(const Accessor& output, const MulticastArgs& args, const MulticastShare& share,
                const Pass& pass) {
    for (uint32_t row = 0; row < pass.num_rows; ++row) {
        for (uint32_t column = 0; column < pass.num_columns; column += kOutTiles) {
            store_strip(output, args, share.first_row + pass.row + row,
                        share.first_column + pass.column + column,
                        smaller(kOutTiles, pass.num_columns - column));
        }
    }
}

}  // namespace

void kernel_main() {
    const auto args = MulticastArgs::read();
    const auto share = MulticastShare::read();
    const TensorAccessor output(MulticastWrites::output(),
                                MulticastWrites::output_address(MulticastShare::kCount));
    const BlockTurns turns(kTurnArg);
    uint32_t block = 0;
    for (uint32_t number = 0; number < num_passes(args); ++number) {
        const Pass pass = pass_of(args, share, number);
        for (uint32_t k = 0; k < args.k_tiles; k += args.k_block, ++block) {
            if (pass.num_columns != 0) {
                exchange_weights(args, turns, block,
                                 smaller(args.k_block, args.k_tiles - k) * pass.num_columns);
            }
        }
        store_pass(output, args, share, pass);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
