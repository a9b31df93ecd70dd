// SPDX-License-Identifier: Apache-2.0
// Reads this core's pieces of rows of e2m1 codes with their scales, which become column 0 of tiles,
// and makes the tiles that compute multiplies with.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/fp8_blocks/kernels/micro_scales.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/filled_tiles.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::widen_bytes;

constexpr uint32_t cb_bytes = index_of(Cb::Bytes);
constexpr uint32_t cb_scale_codes = index_of(Cb::ScaleCodes);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t kFace = 16;
constexpr uint32_t kTileWords = 1024;

// Four tiles of factors: left and right columns of even codes, then of odd ones. The product with a
// tile of codes puts 16 of its columns to every second column. Codes are e4m3 of 2^-6 each.
void push_joiners() {
    constexpr uint32_t cb_joiners = index_of(Cb::Joiners);
    constexpr uint32_t kSixtyFour = 0x4280;  // bfloat16
    constexpr uint32_t kFaceWords = 128;
    constexpr uint32_t kTiles = 2 * kPieceTiles;
    cb_reserve_back(cb_joiners, kTiles);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_joiners));
    fill_by_noc(get_write_ptr(cb_joiners), kTiles * 16 * kFaceWords, 0);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        for (uint32_t i = 0; i < kFace; ++i) {
            // Rows of the right tile are in the lower faces. Row i has columns 2i and 2i + 1.
            const uint32_t face = tile * 4 + tile % 2 * 2 + i / 8;
            words[face * kFaceWords + i * 8 + i % 8] = kSixtyFour << (tile / 2 * 16);
        }
    }
    cb_push_back(cb_joiners, kTiles);
}

// A face of bytes has 16 rows of two tiles' 32 numbers: the first and the third face are of the
// left tile. Scales of rows beyond the piece stay what they were: these rows are not stored.
void push_scales(uint32_t blocks, uint32_t halves) {
    cb_reserve_back(cb_scales, kPieceTiles * halves);
    const auto* codes = reinterpret_cast<const tt_l1_ptr uint8_t*>(get_write_ptr(cb_scale_codes));
    tt_l1_ptr uint32_t* tiles = words_at(get_write_ptr(cb_scales));
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint32_t tile = block / kFace % 2;
        const uint32_t row = block / (2 * kFace) * kFace + block % kFace;
        for (uint32_t half = 0; half < halves; ++half) {
            const uint32_t code = codes[block * halves + half];
            FloatWord scale;
            scale.value = halves == 1 ? e8m0_value(code) : e4m3_value(code);
            tiles[(tile * halves + half) * kTileWords + scale_rule::word_of_row(row)] = scale.bits;
        }
    }
    cb_push_back(cb_scales, kPieceTiles * halves);
}

}  // namespace

void kernel_main() {
    const auto args = PieceArgs::read();
    const auto range = PieceRange::read();
    const auto bytes =
        TensorAccessor(ReaderTensors::bytes(), ReaderTensors::bytes_address(PieceRange::kCount));
    const auto scales =
        TensorAccessor(ReaderTensors::scales(), ReaderTensors::scales_address(PieceRange::kCount));
    const auto counts =
        TensorAccessor(ReaderTensors::counts(), ReaderTensors::counts_address(PieceRange::kCount));
    const uint32_t end = range.first_piece + range.num_pieces;
    const CountedRows rows =
        counted_rows(counts, index_of(Cb::ReaderCounts), range.first_piece / args.pieces,
                     div_up(end, args.pieces));
    const uint32_t each = kFace / args.halves;  // bytes that share a scale
    push_joiners();
    if (args.halves == 2) {
        push_left_half(index_of(Cb::LeftHalf));
    }
    push_counted(rows, {args.pieces, range.first_piece, end}, index_of(Cb::Counted));
    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        const uint32_t row = piece / args.pieces;
        if (!rows.is_counted(row)) {
            continue;
        }
        const uint32_t at = piece % args.pieces * kPieceBytes;
        const uint32_t length = smaller(kPieceBytes, args.row_bytes - at);
        cb_reserve_back(cb_bytes, 1);
        noc_async_read(bytes.get_noc_addr(row, at), get_write_ptr(cb_bytes), length);
        noc_async_read(scales.get_noc_addr(row, at / each), get_write_ptr(cb_scale_codes),
                       length / each);
        noc_async_read_barrier();
        cb_push_back(cb_bytes, 1);
        push_scales(div_up(length, kFace), args.halves);
    }
}
