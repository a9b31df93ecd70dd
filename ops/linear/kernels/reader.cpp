// SPDX-License-Identifier: Apache-2.0
// Brings this core's part of K: the rows of a block once, then its pushes of weights strip by
// strip.
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"
#include "input_reads.hpp"
#include "weight_reads.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::linear;

constexpr uint32_t kCbRows = index_of(Cb::Rows);

// Rows of one tile row, K in chunks.
template <class Accessor>
void push_rows(const Accessor& rows, const LinearArgs& args, const Share& share, uint32_t first) {
    for (uint32_t k = 0; k < share.num_k; k += args.k_chunk) {
        cb_reserve_back(kCbRows, args.k_chunk);
        read_rows(rows, args, {first, share.first_k + k, smaller(args.k_chunk, share.num_k - k)},
                  get_write_ptr(kCbRows), args.k_chunk * kTileRowBytes);
        noc_async_read_barrier();
        cb_push_back(kCbRows, args.k_chunk);
    }
}

// The weights of a strip, K in pushes. The writer reads those of some banks over its NoC. If both
// read from all banks, they take 1.4 to 1.9 times as long, since responses meet on the links beside
// the banks.
template <class Accessor>
void push_weights(const Accessor& weights, const LinearArgs& args, const Share& share,
                  uint32_t column) {
    constexpr uint32_t kCbWeights = index_of(Cb::Weights);
    const asked_reads::Banks banks{~share.writer_banks, args.banks, args.bank_step};
    const bool is_shared = share.writer_banks != 0;
    const uint32_t columns = smaller(args.strip, share.num_columns - column);
    const uint32_t first_row = share.first_column + column;
    for (uint32_t k = 0; k < share.num_k; k += args.k_block) {
        cb_reserve_back(kCbWeights, args.k_block * args.strip);
        const asked_reads::Push push{first_row * args.k_tiles + share.first_k + k,
                                     smaller(args.k_block, share.num_k - k),
                                     get_write_ptr(kCbWeights)};
        if (is_shared) {
            asked_reads::ask(index_of(Cb::Asked), push);
        }
        read_push(weights, args, banks, columns, push);
        noc_async_read_barrier();
        if (is_shared) {
            asked_reads::wait_for_writer(index_of(Cb::Asked));
        }
        cb_push_back(kCbWeights, args.k_block * args.strip);
    }
}

}  // namespace

void kernel_main() {
    const auto share = Share::read();
    const auto args = LinearArgs::read();
    const TensorAccessor rows(ReaderTensors::rows(), ReaderTensors::rows_address(Share::kCount));
    const TensorAccessor weights(ReaderTensors::weights(),
                                 ReaderTensors::weights_address(Share::kCount));
    const TensorAccessor bias(ReaderTensors::bias(), ReaderTensors::bias_address(Share::kCount));
    for (uint32_t block = 0; block < num_blocks(args); ++block) {
        const uint32_t tile_rows = tile_rows_of(args, block);
        for (uint32_t i = 0; i < tile_rows; ++i) {
            push_rows(rows, args, share, (block * args.block_tiles + i) * kRowsOfTile);
        }
        for (uint32_t column = 0; column < share.num_columns; column += args.strip) {
            push_weights(weights, args, share, column);
            // The bias is needed after the sums only.
            if (block == 0 && column == 0 && args.has_bias != 0) {
                push_bias(bias, index_of(Cb::Bias), args.columns, share.first_column,
                          share.num_columns, share.num_columns);
            }
        }
    }
}
