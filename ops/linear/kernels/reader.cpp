// SPDX-License-Identifier: Apache-2.0
// Brings this core's part of K: the rows of a block once, then its pushes of weights strip by
// strip.
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"
#include "dataflow_api.h"
#include "weight_reads.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::linear;

constexpr uint32_t kTileRows = kRowsOfTile;
constexpr uint32_t kTileRowBytes = 64;  // of bfloat16
constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbBias = index_of(Cb::Bias);

// Zeros after the last element of a row: K is padded to whole tiles.
void clear_tail(uint32_t l1_addr, uint32_t length, uint32_t end) {
    auto* halves = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(l1_addr);
    for (uint32_t at = length; at < end; at += sizeof(uint16_t)) {
        halves[at / sizeof(uint16_t)] = 0;
    }
}

// Rows of one tile row, K in chunks. Rows that are not there keep what L1 has: they are computed
// from their own elements alone and not stored.
template <class Accessor>
void push_rows(const Accessor& rows, const LinearArgs& args, const Share& share, uint32_t first) {
    const uint32_t count = smaller(kTileRows, args.rows - first);
    const uint32_t chunk_bytes = args.k_chunk * kTileRowBytes;
    for (uint32_t k = 0; k < share.num_k; k += args.k_chunk) {
        const uint32_t start = (share.first_k + k) * kTileRowBytes;
        const uint32_t wanted = smaller(args.k_chunk, share.num_k - k) * kTileRowBytes;
        const uint32_t length = smaller(wanted, args.row_bytes - start);
        cb_reserve_back(kCbRows, args.k_chunk);
        uint32_t l1_addr = get_write_ptr(kCbRows);
        for (uint32_t row = 0; row < count; ++row) {
            noc_async_read(rows.get_noc_addr(first + row, start), l1_addr, length);
            if (length < wanted) {
                clear_tail(l1_addr, length, wanted);
            }
            l1_addr += chunk_bytes;
        }
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

// Row 0 of a tile for each column of tiles. Its two faces have 32 bytes each, which reads from DRAM
// may not start at: both are read to the left face, and the core moves the second half.
template <class Accessor>
void push_bias(const Accessor& bias, const LinearArgs& args, const Share& share) {
    constexpr uint32_t kFaceWords = 128;
    constexpr uint32_t kTileWords = 4 * kFaceWords;
    constexpr uint32_t kHalfWords = kTileRowBytes / 8;
    cb_reserve_back(kCbBias, share.num_columns);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbBias));
    for (uint32_t c = 0; c < share.num_columns; ++c) {
        const uint32_t first = (share.first_column + c) * kTileRowBytes;
        noc_async_read(bias.get_noc_addr(0, first), get_write_ptr(kCbBias) + c * kTileWords * 4,
                       smaller(kTileRowBytes, 2 * args.columns - first));
    }
    noc_async_read_barrier();
    for (uint32_t c = 0; c < share.num_columns; ++c) {
        for (uint32_t i = 0; i < kHalfWords; ++i) {
            words[c * kTileWords + kFaceWords + i] = words[c * kTileWords + kHalfWords + i];
        }
    }
    cb_push_back(kCbBias, share.num_columns);
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
            push_rows(rows, args, share, (block * args.block_tiles + i) * kTileRows);
        }
        for (uint32_t column = 0; column < share.num_columns; column += args.strip) {
            push_weights(weights, args, share, column);
            // The bias is needed after the sums only.
            if (block == 0 && column == 0 && args.has_bias != 0) {
                push_bias(bias, args, share);
            }
        }
    }
}
