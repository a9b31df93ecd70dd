// SPDX-License-Identifier: Apache-2.0
// Makes the scales of blocks of 16 or 32 columns from their largest magnitudes, and stores scales
// and bytes of codes.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/fp8_blocks/kernels/micro_scales.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_counts = index_of(MicroCb::WriterCounts);
constexpr uint32_t cb_tensor_scale = index_of(MicroCb::TensorScale);
constexpr uint32_t cb_largest = index_of(MicroCb::Largest);
constexpr uint32_t cb_factors = index_of(MicroCb::Factors);
constexpr uint32_t cb_out = index_of(MicroCb::Output);
constexpr uint32_t cb_scales = index_of(MicroCb::Scales);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kTileWords = 1024;
constexpr uint32_t kFaceBytes = 256;

// Puts the codes of the scales of a piece into L1, four a word, and gives compute their factors. Rows
// beyond the piece have any scales: these rows are not stored.
template <uint32_t kHalves>
void scale_tile(uint32_t tile_rows, float tensor_scale, tt_l1_ptr uint32_t* codes) {
    constexpr uint32_t kRowsOfWord = 4 / kHalves;
    const tt_l1_ptr uint32_t* largest = words_at(get_read_ptr(cb_largest));
    tt_l1_ptr uint32_t* factors = words_at(get_write_ptr(cb_factors));
    for (uint32_t row = 0; row < tile_rows; row += kRowsOfWord) {
        const uint32_t first = scale_rule::word_of_row(row);
        uint32_t word = 0;
        for (uint32_t i = 0; i < 4; ++i) {
            // Rows of a face are 16 words apart.
            const uint32_t place = i % kHalves * kTileWords + first + i / kHalves * 16;
            const MicroScale scale = kHalves == 1 ? e8m0_scale(largest[place])
                                                  : e4m3_scale(largest[place], tensor_scale);
            factors[place] = scale.factor;
            word |= scale.code << 8 * i;
        }
        *codes++ = word;
    }
}

void scale_piece(const MicroArgs& args, uint32_t piece, float tensor_scale, uint32_t scales_l1) {
    const uint32_t columns = args.columns - piece % args.pieces * kMicroPiece;
    const uint32_t tile_rows = div_up(smaller(columns, kMicroPiece), kTileRows);
    cb_wait_front(cb_largest, args.halves);
    cb_reserve_back(cb_factors, args.halves);
    if (args.halves == 1) {
        scale_tile<1>(tile_rows, tensor_scale, words_at(scales_l1));
    } else {
        scale_tile<2>(tile_rows, tensor_scale, words_at(scales_l1));
    }
    cb_push_back(cb_factors, args.halves);
    cb_pop_front(cb_largest, args.halves);
}

// The left faces of a tile are the bytes of 512 columns each.
template <class Codes>
void store_codes(const Codes& codes, const MicroArgs& args, uint32_t piece) {
    const uint32_t row = piece / args.pieces;
    const uint32_t first = piece % args.pieces * kMicroPiece / 2;
    const uint32_t bytes = smaller(kMicroPiece / 2, args.columns / 2 - first);
    cb_wait_front(cb_out, 1);
    for (uint32_t at = 0; at < bytes; at += kFaceBytes) {
        noc_async_write(get_read_ptr(cb_out) + 2 * at, codes.get_noc_addr(row, first + at),
                        smaller(kFaceBytes, bytes - at));
    }
    noc_async_writes_flushed();
    cb_pop_front(cb_out, 1);
}

template <class Scales>
void store_scales(const Scales& scales, const MicroArgs& args, uint32_t piece, uint32_t scales_l1) {
    const uint32_t row = piece / args.pieces;
    const uint32_t each = kTileRows / args.halves;  // columns of a block
    const uint32_t column = piece % args.pieces * kMicroPiece;
    noc_async_write(scales_l1, scales.get_noc_addr(row, column / each),
                    smaller(kMicroPiece, args.columns - column) / each);
}

// Pieces that compute takes at once.
struct Turn {
    uint32_t count = 0;
    uint32_t pieces[kMicroTurn];

    template <class Codes>
    void store(const Codes& codes, const MicroArgs& args) const {
        for (uint32_t i = 0; i < count; ++i) {
            store_codes(codes, args, pieces[i]);
        }
    }
};

float tensor_scale(uint32_t halves) {
    if (halves == 1) {
        return 1.0F;
    }
    const auto scale = TensorAccessor(WriterTensors::static_scale(),
                                      WriterTensors::static_scale_address(MicroRange::kCount));
    read_pages(scale, 0, 1, get_write_ptr(cb_tensor_scale), 0, 4);
    FloatWord word;
    word.bits = words_at(get_write_ptr(cb_tensor_scale))[0];
    return word.value;
}

}  // namespace

void kernel_main() {
    const auto args = MicroArgs::read();
    const auto range = MicroRange::read();
    const auto codes =
        TensorAccessor(WriterTensors::codes(), WriterTensors::codes_address(MicroRange::kCount));
    const auto scales =
        TensorAccessor(WriterTensors::scales(), WriterTensors::scales_address(MicroRange::kCount));
    const auto counts =
        TensorAccessor(WriterTensors::counts(), WriterTensors::counts_address(MicroRange::kCount));
    const uint32_t end = range.first_piece + range.num_pieces;
    const CountedRows rows =
        counted_rows(counts, cb_counts, range.first_piece / args.pieces, div_up(end, args.pieces));
    const float of_tensor = tensor_scale(args.halves);
    Turn before;  // whose codes compute makes while this one's scales are made
    Turn turn;
    const auto finish_turn = [&] {
        noc_async_writes_flushed();  // scales go where those of the turn before were
        for (uint32_t i = 0; i < turn.count; ++i) {
            const uint32_t scales_l1 = get_write_ptr(cb_scales) + i * kTileRows * args.halves;
            scale_piece(args, turn.pieces[i], of_tensor, scales_l1);
            store_scales(scales, args, turn.pieces[i], scales_l1);
        }
        before.store(codes, args);
        before = turn;
        turn.count = 0;
    };
    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        if (!rows.is_counted(piece / args.pieces)) {
            continue;
        }
        turn.pieces[turn.count] = piece;
        turn.count += 1;
        if (turn.count == kMicroTurn) {
            finish_turn();
        }
    }
    finish_turn();
    before.store(codes, args);
    noc_async_write_barrier();
}
