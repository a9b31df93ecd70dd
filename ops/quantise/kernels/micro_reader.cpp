// SPDX-License-Identifier: Apache-2.0
// Reads this core's pieces of rows, and makes the tiles that compute multiplies with.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/filled_tiles.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_rows = index_of(MicroCb::Rows);
constexpr uint32_t cb_counts = index_of(MicroCb::ReaderCounts);
constexpr uint32_t kElement = 2;  // bytes of bfloat16
constexpr uint32_t kFaceWords = 128;
constexpr uint32_t kTileBytes = 16 * kFaceWords;
constexpr uint32_t kTwoOnes = 0x3F803F80;

uint32_t reserve(MicroCb cb) {
    cb_reserve_back(index_of(cb), 1);
    return get_write_ptr(index_of(cb));
}

void push_ones() {
    fill_by_noc(reserve(MicroCb::Ones), kTileBytes, kTwoOnes);
    cb_push_back(index_of(MicroCb::Ones), 1);
}

// Column j of the product with this tile is column 2j plus 16 times column 2j + 1.
void push_pairs() {
    constexpr uint32_t kOne = 0x3F80;
    constexpr uint32_t kSixteen = 0x4180;
    const uint32_t l1_addr = reserve(MicroCb::Pairs);
    fill_by_noc(l1_addr, kTileBytes, 0);
    tt_l1_ptr uint32_t* words = words_at(l1_addr);
    for (uint32_t j = 0; j < 16; ++j) {
        // Rows 0 to 15 are in the upper face; a row of a face has 8 words of two columns.
        tt_l1_ptr uint32_t* even = words + j / 8 * 2 * kFaceWords + j % 8 * 16 + j / 2;
        even[0] = kOne << (j % 2 * 16);
        even[8] = kSixteen << (j % 2 * 16);
    }
    cb_push_back(index_of(MicroCb::Pairs), 1);
}

template <class Accessor>
void read_piece(const Accessor& input, const MicroArgs& args, uint32_t piece, uint32_t l1_addr) {
    const uint32_t column = piece % args.pieces * kMicroPiece;
    const uint32_t length = smaller(kMicroPiece, args.columns - column) * kElement;
    // Rows of the tile do not mix: those that were not read keep what the page held.
    noc_async_read(input.get_noc_addr(piece / args.pieces, column * kElement), l1_addr, length);
    const uint32_t row_end = round_up(length, 64);
    fill_words(words_at(l1_addr + length), (row_end - length) / 4, 0);
}

// Pushes pieces when they are there.
void push(uint32_t& count) {
    noc_async_read_barrier();
    cb_push_back(cb_rows, count);
    count = 0;
}

}  // namespace

void kernel_main() {
    const auto args = MicroArgs::read();
    const auto range = MicroRange::read();
    const auto input =
        TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address(MicroRange::kCount));
    const auto counts =
        TensorAccessor(ReaderTensors::counts(), ReaderTensors::counts_address(MicroRange::kCount));
    const uint32_t end = range.first_piece + range.num_pieces;
    const CountedRows rows =
        counted_rows(counts, cb_counts, range.first_piece / args.pieces, div_up(end, args.pieces));
    push_counted(rows, {args.pieces, range.first_piece, end}, index_of(MicroCb::Counted));
    push_ones();
    push_pairs();
    uint32_t count = 0;  // pieces that are on their way
    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        if (!rows.is_counted(piece / args.pieces)) {
            continue;
        }
        if (count == 0) {
            cb_reserve_back(cb_rows, kMicroReads);
        }
        read_piece(input, args, piece, get_write_ptr(cb_rows) + count * kTileBytes);
        count += 1;
        if (count == kMicroReads) {
            push(count);
        }
    }
    if (count != 0) {
        push(count);
    }
}
