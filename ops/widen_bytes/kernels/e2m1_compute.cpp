// SPDX-License-Identifier: Apache-2.0
// Turns pieces of bytes of two e2m1 codes into rows of numbers: the vector unit splits the codes,
// the matrix unit brings even and odd columns together again, and scales multiply the numbers.
#include "../../shared/kernels/code_words.hpp"
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::widen_bytes;

constexpr uint32_t cb_packed = index_of(Cb::Bytes);
constexpr uint32_t cb_words = index_of(Cb::CodeWords);
constexpr uint32_t cb_codes = index_of(Cb::CodeBytes);
constexpr uint32_t cb_joiners = index_of(Cb::Joiners);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t cb_left = index_of(Cb::LeftHalf);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t kByteTilesInWords = 4;

// The first byte tile of each of two word tiles has the codes: of even columns, of odd ones.
void split() {
    cb_wait_front(cb_packed, 1);
    cb_reserve_back(cb_words, 2);
    init_copy(cb_packed);
    pack_reconfig_data_format(cb_words);
    tile_regs_acquire();
    copy_tile(cb_packed, 0, 0);
    copy_tile(cb_packed, 0, 1);
    split_e2m1(cb_packed, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_words);
    pack_tile(1, cb_words);
    tile_regs_release();
    cb_pop_front(cb_packed, 1);
    cb_push_back(cb_words, 2);
    // The same memory as tiles of e4m3.
    cb_reserve_back(cb_codes, 2 * kByteTilesInWords);
    cb_push_back(cb_codes, 2 * kByteTilesInWords);
    cb_wait_front(cb_words, 2);
    cb_wait_front(cb_codes, 2 * kByteTilesInWords);
}

// DST[0] = a tile of numbers: 16 even columns and 16 odd ones.
void join(uint32_t tile) {
    reconfig_data_format(cb_joiners, cb_codes);
    mm_block_init_short(cb_codes, cb_joiners, 0, 1, 1, 1);
    matmul_block(cb_codes, cb_joiners, 0, tile, 0, 0, 1, 1, 1);
    matmul_block(cb_codes, cb_joiners, kByteTilesInWords, kPieceTiles + tile, 0, 0, 1, 1, 1);
}

// DST[0] times the scales of its rows, or of both halves of them.
void scale(uint32_t tile, uint32_t halves) {
    unary_bcast_init<BroadcastType::COL>(cb_scales, cb_out);
    for (uint32_t half = 0; half < halves; ++half) {
        unary_bcast<BroadcastType::COL>(cb_scales, tile * halves + half, 2 + half);
    }
    if (halves == 2) {
        copy_to(cb_left, 0, 1);
        where_tile_init();
        where_tile<DataFormat::Float32>(1, 2, 3, 2);
    }
    mul_binary_tile_init();
    mul_binary_tile(0, 2, 0);
}

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_counted = index_of(Cb::Counted);
    const uint32_t halves = PieceArgs::read().halves;
    mm_block_init(cb_codes, cb_joiners, cb_out, 0, 1, 1, 1);
    cb_wait_front(cb_counted, 1);
    const uint32_t num_pieces = read_tile_value(cb_counted, 0, 0);
    cb_wait_front(cb_joiners, 2 * kPieceTiles);
    if (halves == 2) {
        cb_wait_front(cb_left, 1);
    }
    for (uint32_t piece = 0; piece < num_pieces; ++piece) {
        split();
        cb_wait_front(cb_scales, kPieceTiles * halves);
        for (uint32_t tile = 0; tile < kPieceTiles; ++tile) {
            tile_regs_acquire();
            join(tile);
            scale(tile, halves);
            push_as_rows(cb_out);
        }
        cb_pop_front(cb_scales, kPieceTiles * halves);
        cb_pop_front(cb_words, 2);
        cb_pop_front(cb_codes, 2 * kByteTilesInWords);
    }
}
