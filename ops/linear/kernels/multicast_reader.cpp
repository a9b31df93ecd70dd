// SPDX-License-Identifier: Apache-2.0
// Reads this core's blocks of the input and of weights ahead of their turns, and exchanges blocks
// of the input with the cores of its row over NoC 0.
#include "../../shared/kernels/block_turns.hpp"
#include "input_reads.hpp"
#include "multicast_args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::linear;

constexpr uint32_t kCbRows = index_of(MulticastCb::Rows);
constexpr uint32_t kCbOwnTiles = index_of(MulticastCb::OwnTiles);
constexpr uint32_t kCbTiles = index_of(MulticastCb::Tiles);
constexpr uint32_t kCbOwnWeights = index_of(MulticastCb::OwnWeights);
constexpr uint32_t kTurnArg = MulticastShare::kCount + MulticastReads::Addresses::kCount;

template <class Rows, class Weights>
struct Reader {
    const MulticastArgs& args;
    const MulticastShare& share;
    const Rows& rows;
    const Weights& weights;
    uint32_t blocks_of_pass = k_blocks(args);

    uint32_t num_blocks() const { return num_passes(args) * blocks_of_pass; }
    Pass pass(uint32_t block) const { return pass_of(args, share, block / blocks_of_pass); }
    uint32_t first_k(uint32_t block) const { return block % blocks_of_pass * args.k_block; }
    uint32_t num_k(uint32_t block) const {
        return smaller(args.k_block, args.k_tiles - first_k(block));
    }

    // Issues reads of a block of the input; returns whether there are some.
    bool issue_rows(uint32_t block) const {
        const Pass part = pass(block);
        if (part.num_rows == 0) {
            return false;
        }
        cb_reserve_back(kCbRows, args.height * args.k_block);
        for (uint32_t i = 0; i < part.num_rows; ++i) {
            const uint32_t row = share.first_row + part.row + i;
            read_rows(rows, args, {row * kRowsOfTile, first_k(block), num_k(block)},
                      get_write_ptr(kCbRows) + i * kRowsOfTile * args.k_block * kTileRowBytes,
                      args.k_block * kTileRowBytes);
        }
        return true;
    }
    // Along K, where tiles follow each other in memory, their banks are in turn.
    bool issue_weights(uint32_t block) const {
        const Pass part = pass(block);
        if (part.num_columns == 0) {
            return false;
        }
        const uint32_t bytes = get_tile_size(kCbOwnWeights);
        cb_reserve_back(kCbOwnWeights, args.k_block * args.width);
        for (uint32_t c = 0; c < part.num_columns; ++c) {
            const uint32_t column = share.first_column + part.column + c;
            uint32_t tile = column * args.k_tiles + first_k(block);
            uint32_t l1_addr = get_write_ptr(kCbOwnWeights) + c * bytes;
            for (uint32_t k = 0; k < num_k(block); ++k) {
                noc_async_read_page(tile + k, weights, l1_addr);
                l1_addr += part.num_columns * bytes;
            }
        }
        return true;
    }
    void exchange_rows(const BlockTurns& turns, uint32_t block) const {
        const Pass part = pass(block);
        if (part.num_rows == 0) {
            return;
        }
        const uint32_t pages = args.height * args.k_block;
        cb_reserve_back(kCbTiles, pages);
        if (turns.is_own(block)) {
            cb_wait_front(kCbOwnTiles, pages);
            turns.send(get_read_ptr(kCbOwnTiles), get_write_ptr(kCbTiles),
                       part.num_rows * args.k_block * get_tile_size(kCbTiles));
            cb_pop_front(kCbOwnTiles, pages);
        } else {
            turns.receive(block);
        }
        cb_push_back(kCbTiles, pages);
    }
};

// Reads whose barrier comes after the next exchange, which hides their latency.
struct Issued {
    bool rows = false;
    bool weights = false;

    void push(const MulticastArgs& args) {
        if (rows || weights) {
            noc_async_read_barrier();
        }
        if (rows) {
            cb_push_back(kCbRows, args.height * args.k_block);
        }
        if (weights) {
            cb_push_back(kCbOwnWeights, args.k_block * args.width);
        }
        rows = weights = false;
    }
};

template <class Reader, class Bias>
void run(const Reader& reader, const Bias& bias, const BlockTurns& turns, const Turns& column) {
    const MulticastArgs& args = reader.args;
    const uint32_t num_blocks = reader.num_blocks();
    const uint32_t rows_ahead = row_lead(turns.num_cores());
    const uint32_t weights_ahead = weight_lead(column.num_cores);
    Issued issued;
    const auto issue_rows = [&](uint32_t block) {
        if (block < num_blocks && turns.is_own(block)) {
            issued.rows = reader.issue_rows(block);
        }
    };
    const auto issue_weights = [&](uint32_t block) {
        if (block < num_blocks && block % column.num_cores == column.position) {
            issued.weights = reader.issue_weights(block);
        }
    };
    for (uint32_t block = 0; block < rows_ahead; ++block) {
        issue_rows(block);
    }
    for (uint32_t block = 0; block < weights_ahead; ++block) {
        issue_weights(block);
    }
    issued.push(args);
    for (uint32_t block = 0; block < num_blocks; ++block) {
        issue_rows(block + rows_ahead);
        issue_weights(block + weights_ahead);
        if (args.has_bias != 0 && block % reader.blocks_of_pass == 0) {
            const Pass pass = reader.pass(block);
            push_bias(bias, index_of(MulticastCb::Bias), args.columns,
                      reader.share.first_column + pass.column, pass.num_columns, args.width);
        }
        reader.exchange_rows(turns, block);
        issued.push(args);
    }
}

}  // namespace

void kernel_main() {
    const auto args = MulticastArgs::read();
    const auto share = MulticastShare::read();
    const TensorAccessor rows(MulticastReads::rows(),
                              MulticastReads::rows_address(MulticastShare::kCount));
    const TensorAccessor weights(MulticastReads::weights(),
                                 MulticastReads::weights_address(MulticastShare::kCount));
    const TensorAccessor bias(MulticastReads::bias(),
                              MulticastReads::bias_address(MulticastShare::kCount));
    const BlockTurns turns(kTurnArg);
    const auto column = Turns::read(kTurnArg + BlockTurnsArgs::kCount);
    run(Reader<decltype(rows), decltype(weights)>{args, share, rows, weights}, bias, turns, column);
    // Multicasts and replies in flight at the end would be counted for the next kernel.
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
