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
constexpr uint32_t cb_codes = index_of(MicroCb::Codes);
constexpr uint32_t cb_pairs = index_of(MicroCb::Pairs);
constexpr uint32_t cb_out = index_of(MicroCb::Output);

// Values of a turn wait for their scales while those of the next one are tilized.
uint32_t values_of(uint32_t turn) {
    return index_of(turn % 2 == 0 ? MicroCb::Values : MicroCb::OtherValues);
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

#if defined(TRISC_MATH) || !defined(COMPILE_FOR_TRISC)

using sfpi::dst_reg;
using sfpi::vFloat;

// dst_reg has 8 vectors of each face; faces 0 and 2 are the left half of a tile.
constexpr uint32_t kTileVectors = 32;
constexpr uint32_t kFaceVectors = 8;
constexpr float kLargestCode = 7.0F;

inline bool is_left(uint32_t vector) {
    return vector / kFaceVectors % 2 == 0;
}

// DST[tile] = its magnitudes.
inline void take_magnitudes(uint32_t tile) {
    for (uint32_t vector = 0; vector < kTileVectors; ++vector) {
        vFloat value = dst_reg[tile * kTileVectors + vector];
        dst_reg[tile * kTileVectors + vector] = sfpi::abs(value);
    }
}

// DST[tile] and the tile behind it = magnitudes of the left and of the right half of DST[tile], zeros
// in the other.
inline void split_magnitudes(uint32_t tile) {
    const uint32_t left_tile = tile * kTileVectors;
    for (uint32_t vector = 0; vector < kTileVectors; ++vector) {
        const uint32_t own = is_left(vector) ? 0 : kTileVectors;
        vFloat magnitude = sfpi::abs(vFloat(dst_reg[left_tile + vector]));
        dst_reg[left_tile + own + vector] = magnitude;
        dst_reg[left_tile + kTileVectors - own + vector] = 0.0F;
    }
}

// DST[tile] = codes of its numbers times the factors in DST[left] and DST[right]. Codes 0 to 7 are 0
// to 2 in steps of 1/2, to 4 in steps of 1, to 6 in steps of 2: the code of r is the least of 2r,
// r + 2 and r/2 + 4, rounded to nearest even. The sign is bit 3.
// Constants are loaded once: five vectors of the loop and three of them are the eight registers, the
// others are programmable constants. A sum or product is not read by the instruction behind it.
inline void encode(uint32_t tile, uint32_t left, uint32_t right) {
    constexpr float kPointAtEnd = 12582912.0F;  // 1.5 · 2^23: adding it rounds to integers
    constexpr float kSign = 8.0F;
    sfpi::vConstFloatPrgm0 = kPointAtEnd + kLargestCode;
    sfpi::vConstFloatPrgm1 = kPointAtEnd + 2.0F;
    sfpi::vConstFloatPrgm2 = kPointAtEnd + 4.0F;
    const vFloat half_steps = kPointAtEnd;
    const vFloat two = 2.0F;
    const vFloat half = 0.5F;
    for (uint32_t vector = 0; vector < kTileVectors; ++vector) {
        const uint32_t factor = is_left(vector) ? left : right;
        vFloat quotient =
            dst_reg[tile * kTileVectors + vector] * dst_reg[factor * kTileVectors + vector];
        // The constant comes first: rows of padding may hold NaN, which loses a comparison.
        vFloat code;
        code = sfpi::vConstFloatPrgm0;
        vFloat magnitude = sfpi::abs(quotient);
        vFloat steps_of_half = magnitude * two + half_steps;
        vFloat steps_of_one = magnitude + sfpi::vConstFloatPrgm1;
        sfpi::vec_min_max(code, steps_of_half);
        vFloat steps_of_two = magnitude * half + sfpi::vConstFloatPrgm2;
        sfpi::vec_min_max(code, steps_of_one);
        sfpi::vec_min_max(code, steps_of_two);
        code -= kPointAtEnd;
        v_if(quotient < 0.0F) {
            code += kSign;
        }
        v_endif;
        dst_reg[tile * kTileVectors + vector] = code;
    }
}

#endif

constexpr uint32_t kDstTiles = 4;

// Magnitudes of each tile from `first` on, or of its left and of its right half with zeros in the
// other one.
void send_magnitudes(uint32_t cb_values, uint32_t first, uint32_t count, uint32_t halves) {
    tile_regs_acquire();
    init_copy(cb_values);
    for (uint32_t tile = 0; tile < count; ++tile) {
        copy_tile(cb_values, first + tile, tile * halves);
    }
    for (uint32_t tile = 0; tile < count; ++tile) {
        if (halves == 1) {
            MATH((_llk_math_eltwise_unary_sfpu_params_<false>(take_magnitudes, 0,
                                                              (int)VectorMode::None, tile)));
        } else {
            MATH((_llk_math_eltwise_unary_sfpu_params_<false>(
                split_magnitudes, 0, (int)VectorMode::None, tile * halves)));
        }
    }
    pack(cb_magnitudes, count * halves);
}

void send_largest_of(uint32_t cb_values, uint32_t first, uint32_t count, uint32_t halves) {
    const uint32_t tiles = count * halves;
    send_magnitudes(cb_values, first, count, halves);
    cb_wait_front(cb_magnitudes, tiles);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_magnitudes, cb_ones, cb_largest);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_magnitudes, cb_ones, tile, 0, tile);
    }
    cb_pop_front(cb_magnitudes, tiles);
    pack(cb_largest, tiles);
    reduce_uninit();
}

void send_largest(uint32_t cb_values, uint32_t count, uint32_t halves) {
    const uint32_t at_once = kDstTiles / halves;
    for (uint32_t tile = 0; tile < count; tile += at_once) {
        const uint32_t left = count - tile;
        send_largest_of(cb_values, tile, left < at_once ? left : at_once, halves);
    }
}

// Encodes `count` tiles from `first` on. DST has four: two with a factor each, or one with two.
void send_codes_of(uint32_t cb_values, uint32_t first, uint32_t count, uint32_t halves) {
    const uint32_t factors = count * halves;
    cb_wait_front(cb_factors, factors);
    tile_regs_acquire();
    unary_bcast_init<BroadcastType::COL>(cb_factors, cb_codes);
    for (uint32_t factor = 0; factor < factors; ++factor) {
        unary_bcast<BroadcastType::COL>(cb_factors, factor, count + factor);
    }
    init_copy(cb_values);
    for (uint32_t tile = 0; tile < count; ++tile) {
        copy_tile(cb_values, first + tile, tile);
    }
    for (uint32_t tile = 0; tile < count; ++tile) {
        const uint32_t left = count + tile * halves;
        MATH((_llk_math_eltwise_unary_sfpu_params_<false>(encode, 0, (int)VectorMode::None, tile,
                                                          left, left + halves - 1)));
    }
    cb_pop_front(cb_factors, factors);
    pack(cb_codes, count);
}

// Joins neighbouring codes to bytes: integers up to 255 are exact in the matrix unit.
void send_bytes(uint32_t count) {
    constexpr auto kFrom = static_cast<uint32_t>(DataFormat::Float32);
    constexpr auto kTo = static_cast<uint32_t>(DataFormat::UInt8);
    cb_wait_front(cb_codes, count);
    tile_regs_acquire();
    reconfig_data_format(cb_pairs, cb_codes);
    mm_block_init_short(cb_codes, cb_pairs, 0, 1, 1, 1);
    for (uint32_t tile = 0; tile < count; ++tile) {
        matmul_block(cb_codes, cb_pairs, tile, 0, tile, 0, 1, 1, 1);
    }
    typecast_tile_init<kFrom, kTo>();
    for (uint32_t tile = 0; tile < count; ++tile) {
        typecast_tile<kFrom, kTo>(tile);
    }
    cb_pop_front(cb_codes, count);
    pack(cb_out, count);
}

void send_codes(uint32_t cb_values, uint32_t count, uint32_t halves) {
    const uint32_t at_once = kDstTiles / (1 + halves);
    for (uint32_t tile = 0; tile < count; tile += at_once) {
        const uint32_t left = count - tile;
        send_codes_of(cb_values, tile, left < at_once ? left : at_once, halves);
    }
    cb_pop_front(cb_values, count);
    send_bytes(count);
}

void tilize(uint32_t cb_values, uint32_t count) {
    cb_reserve_back(cb_values, count);
    reconfig_data_format_srca(cb_rows);
    pack_reconfig_data_format(cb_values);
    tilize_init(cb_rows, 1, cb_values);
    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(cb_rows, 1);
        tilize_block(cb_rows, 1, cb_values);
        cb_pop_front(cb_rows, 1);
        cb_push_back(cb_values, 1);
    }
    tilize_uninit(cb_rows, cb_values);
    cb_wait_front(cb_values, count);
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
    uint32_t before = 0;  // pieces of the turn before
    uint32_t turn = 0;
    for (uint32_t piece = 0; piece < num_pieces; piece += kMicroTurn, ++turn) {
        const uint32_t left = num_pieces - piece;
        const uint32_t count = left < kMicroTurn ? left : kMicroTurn;
        tilize(values_of(turn), count);
        send_largest(values_of(turn), count, halves);
        if (before > 0) {
            send_codes(values_of(turn - 1), before, halves);
        }
        before = count;
    }
    send_codes(values_of(turn - 1), before, halves);
}
