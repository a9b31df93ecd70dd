// SPDX-License-Identifier: Apache-2.0
// Turns pieces of rows into e2m1 codes, two a byte. The rows of a tile are 32 columns each: the
// matrix unit finds the largest magnitude of each, or of both halves. The writer turns these into
// scales while compute does the same for the next piece.
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_rows = index_of(MicroCb::Rows);
constexpr uint32_t cb_magnitudes = index_of(MicroCb::Magnitudes);
constexpr uint32_t cb_ones = index_of(MicroCb::Ones);
constexpr uint32_t cb_largest = index_of(MicroCb::Largest);
constexpr uint32_t cb_factors = index_of(MicroCb::Factors);
constexpr uint32_t cb_left = index_of(MicroCb::LeftHalf);
constexpr uint32_t cb_codes = index_of(MicroCb::Codes);
constexpr uint32_t cb_pairs = index_of(MicroCb::Pairs);
constexpr uint32_t cb_out = index_of(MicroCb::Output);

// Values of a piece wait for their scales while those of the next one are tilized.
uint32_t values_of(uint32_t piece) {
    return index_of(piece % 2 == 0 ? MicroCb::Values : MicroCb::OtherValues);
}

// Packs the first tiles of DST.
void pack(uint32_t cb, uint32_t tiles) {
    tile_regs_commit();
    cb_reserve_back(cb, tiles);
    pack_reconfig_data_format(cb);
    tile_regs_wait();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        pack_tile(tile, cb);
    }
    tile_regs_release();
    cb_push_back(cb, tiles);
}

// Magnitudes of a tile, or of its left and of its right half with zeros in the other one.
void send_magnitudes(uint32_t cb_values, uint32_t halves) {
    tile_regs_acquire();
    copy_to(cb_values, 0, halves - 1);
    abs_tile_init();
    abs_tile(halves - 1);
    if (halves == 2) {
        copy_to(cb_left, 0, 0);
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        sub_binary_tile_init();
        sub_binary_tile(1, 0, 1);
    }
    pack(cb_magnitudes, halves);
}

void send_largest(uint32_t cb_values, uint32_t halves) {
    send_magnitudes(cb_values, halves);
    cb_wait_front(cb_magnitudes, halves);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_magnitudes, cb_ones, cb_largest);
    tile_regs_acquire();
    for (uint32_t half = 0; half < halves; ++half) {
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_magnitudes, cb_ones, half, 0, half);
    }
    cb_pop_front(cb_magnitudes, halves);
    pack(cb_largest, halves);
    reduce_uninit();
}

// DST[0] = quotients of values and their scales.
void divide(uint32_t cb_values, uint32_t halves) {
    cb_wait_front(cb_factors, halves);
    unary_bcast_init<BroadcastType::COL>(cb_factors, cb_codes);
    for (uint32_t half = 0; half < halves; ++half) {
        unary_bcast<BroadcastType::COL>(cb_factors, half, 2 + half);
    }
    if (halves == 2) {
        copy_to(cb_left, 0, 1);
        where_tile_init();
        where_tile<DataFormat::Float32>(1, 2, 3, 2);
    }
    copy_to(cb_values, 0, 0);
    mul_binary_tile_init();
    mul_binary_tile(0, 2, 0);
    cb_pop_front(cb_factors, halves);
}

// DST[0] = codes of its numbers. Codes 0 to 7 are 0 to 2 in steps of 1/2, to 4 in steps of 1, to 6
// in steps of 2: the code of r is the least of 2r, r + 2 and r/2 + 4, rounded to nearest even. The
// sign is bit 3.
void encode() {
    constexpr uint32_t kEight = 0x41000000;
    constexpr uint32_t kTwo = 0x40000000;
    constexpr uint32_t kHalf = 0x3F000000;
    // Adding 1.5 · 2^23 rounds to integers.
    constexpr uint32_t kPointAtEnd = 0x4B400000;
    copy_dest_values_init();
    copy_dest_values(0, 1);
    ltz_tile_init();
    ltz_tile(1);
    abs_tile_init();
    abs_tile(0);
    copy_dest_values_init();
    copy_dest_values(0, 2);
    copy_dest_values(0, 3);
    binop_with_scalar_tile_init();
    mul_unary_tile(1, kEight);
    mul_unary_tile(0, kTwo);
    mul_unary_tile(3, kHalf);
    add_unary_tile(0, kPointAtEnd);
    add_unary_tile(2, kPointAtEnd + 2);
    add_unary_tile(3, kPointAtEnd + 4);
    binary_min_tile_init();
    binary_min_tile(0, 2, 0);
    binary_min_tile(0, 3, 0);
    unary_min_tile_init();
    unary_min_tile(0, kPointAtEnd + 7);
    binop_with_scalar_tile_init();
    sub_unary_tile(0, kPointAtEnd);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
}

// Joins neighbouring codes to bytes: integers up to 255 are exact in the matrix unit.
void send_bytes() {
    constexpr auto kFrom = static_cast<uint32_t>(DataFormat::Float32);
    constexpr auto kTo = static_cast<uint32_t>(DataFormat::UInt8);
    cb_wait_front(cb_codes, 1);
    tile_regs_acquire();
    reconfig_data_format(cb_pairs, cb_codes);
    mm_block_init_short(cb_codes, cb_pairs, 0, 1, 1, 1);
    matmul_block(cb_codes, cb_pairs, 0, 0, 0, 0, 1, 1, 1);
    typecast_tile_init<kFrom, kTo>();
    typecast_tile<kFrom, kTo>(0);
    cb_pop_front(cb_codes, 1);
    pack(cb_out, 1);
}

void send_codes(uint32_t cb_values, uint32_t halves) {
    tile_regs_acquire();
    divide(cb_values, halves);
    encode();
    cb_pop_front(cb_values, 1);
    pack(cb_codes, 1);
    send_bytes();
}

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_counted = index_of(MicroCb::Counted);
    const uint32_t halves = MicroArgs::read().halves;
    mm_block_init(cb_codes, cb_pairs, cb_out, 0, 1, 1, 1);
    cb_wait_front(cb_counted, 1);
    const uint32_t num_pieces = read_tile_value(cb_counted, 0, 0);
    if (num_pieces == 0) {
        return;
    }
    cb_wait_front(cb_ones, 1);
    cb_wait_front(cb_pairs, 1);
    if (halves == 2) {
        cb_wait_front(cb_left, 1);
    }
    for (uint32_t piece = 0; piece < num_pieces; ++piece) {
        const uint32_t cb_values = values_of(piece);
        cb_reserve_back(cb_values, 1);
        reconfig_data_format_srca(cb_rows);
        pack_reconfig_data_format(cb_values);
        tilize_rows(cb_rows, cb_values, 1);
        cb_push_back(cb_values, 1);
        cb_wait_front(cb_values, 1);
        send_largest(cb_values, halves);
        if (piece > 0) {
            send_codes(values_of(piece - 1), halves);
        }
    }
    send_codes(values_of(num_pieces - 1), halves);
}
