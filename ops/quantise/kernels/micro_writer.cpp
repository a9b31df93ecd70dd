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

// Puts the codes of the scales of a piece into L1, and gives compute their factors. Factors of
// rows beyond the piece stay what they were: these rows are not stored.
void scale_piece(uint32_t tile_rows, uint32_t halves, float tensor_scale) {
    cb_wait_front(cb_largest, halves);
    cb_reserve_back(cb_factors, halves);
    auto* codes = reinterpret_cast<tt_l1_ptr uint8_t*>(get_write_ptr(cb_scales));
    const tt_l1_ptr uint32_t* largest = words_at(get_read_ptr(cb_largest));
    tt_l1_ptr uint32_t* factors = words_at(get_write_ptr(cb_factors));
    for (uint32_t row = 0; row < tile_rows; ++row) {
        for (uint32_t half = 0; half < halves; ++half) {
            const uint32_t place = half * kTileWords + scale_rule::word_of_row(row);
            const MicroScale scale =
                halves == 1 ? e8m0_scale(largest[place]) : e4m3_scale(largest[place], tensor_scale);
            codes[row * halves + half] = (uint8_t)scale.code;
            factors[place] = scale.factor;
        }
    }
    cb_push_back(cb_factors, halves);
    cb_pop_front(cb_largest, halves);
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
void store_scales(const Scales& scales, const MicroArgs& args, uint32_t piece) {
    const uint32_t row = piece / args.pieces;
    const uint32_t each = kTileRows / args.halves;  // columns of a block
    const uint32_t column = piece % args.pieces * kMicroPiece;
    noc_async_write(get_write_ptr(cb_scales), scales.get_noc_addr(row, column / each),
                    smaller(kMicroPiece, args.columns - column) / each);
}

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
    uint32_t before = end;  // the piece whose codes compute makes meanwhile; `end` if none
    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        if (!rows.is_counted(piece / args.pieces)) {
            continue;
        }
        noc_async_writes_flushed();  // scales go where those of the piece before were
        const uint32_t columns = args.columns - piece % args.pieces * kMicroPiece;
        scale_piece(div_up(smaller(columns, kMicroPiece), kTileRows), args.halves, of_tensor);
        store_scales(scales, args, piece);
        if (before != end) {
            store_codes(codes, args, before);
        }
        before = piece;
    }
    if (before != end) {
        store_codes(codes, args, before);
    }
    noc_async_write_barrier();
}
