// SPDX-License-Identifier: Apache-2.0
// Reads gate and up of 32 rows and 128 columns, with their scales, strip by strip.
#include "strips_of_ctas.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::fp8_swiglu;
using strips::kStripTiles;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbScales = index_of(Cb::Scales);
constexpr uint32_t kCbUnits = index_of(Cb::Units);
constexpr uint32_t kCbScaleRow = index_of(Cb::ReadScaleRow);

// Pushes one block of columns of a strip, and its scales. Rows without a token are left as they
// are: a row's scale is its own.
void push_strip(const CtaStrips& ctas, const PageAccessor& rows, const PageAccessor& scales,
                uint32_t strip, uint32_t block, uint32_t scale_stride) {
    cb_reserve_back(kCbRows, kStripTiles);
    const uint32_t strip_l1 = get_write_ptr(kCbRows);
    const uint32_t scales_l1 = get_write_ptr(kCbScaleRow);
    uint32_t scale_l1 = scales_l1;
    ctas.for_each_piece(strip, [&](const Piece& piece) {
        uint32_t l1_addr = strip_l1 + piece.place * units::kBlock;
        for (uint32_t row = piece.row; row < piece.row + piece.count; ++row) {
            noc_async_read(rows.get_noc_addr(row, block * units::kBlock), l1_addr, units::kBlock);
            l1_addr += units::kBlock;
        }
        units::read_words(scales, block, piece.row * sizeof(uint32_t), scale_l1,
                          piece.count * sizeof(uint32_t));
        scale_l1 += scale_stride;
    });
    // One barrier for 32 rows.
    noc_async_read_barrier();
    cb_push_back(kCbRows, kStripTiles);
    cb_reserve_back(kCbScales, 1);
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScales));
    scale_l1 = scales_l1;
    ctas.for_each_piece(strip, [&](const Piece& piece) {
        const uint32_t words = scale_l1 + units::skipped_bytes(piece.row * sizeof(uint32_t));
        // Into column 0, from where the unpacker spreads each over its row.
        for (uint32_t row = 0; row < piece.count; ++row) {
            tile[scale_rule::word_of_row(piece.place + row)] = units::word(words, row);
        }
        scale_l1 += scale_stride;
    });
    cb_push_back(kCbScales, 1);
}

}  // namespace

void kernel_main() {
    constexpr uint32_t kFirst = fp8::CoreIndex::kCount;
    const auto index = fp8::CoreIndex::read();
    const auto strip_args = StripArgs::read();
    const auto args = ReaderArgs::read();
    const TensorAccessor rows(ReaderTensors::rows(), ReaderTensors::rows_address(kFirst));
    const TensorAccessor scales(ReaderTensors::scales(), ReaderTensors::scales_address(kFirst));
    const TensorAccessor limit(ReaderTensors::limit(), ReaderTensors::limit_address(kFirst));
    const TensorAccessor num_ctas(ReaderTensors::num_ctas(),
                                  ReaderTensors::num_ctas_address(kFirst));

    const CtaStrips ctas =
        read_strips(strip_args, num_ctas, limit, get_write_ptr(index_of(Cb::Table)));
    const units::Share share = units::share_of(ctas.num_units(), index.core, index.num_cores);
    // The number is pushed first, because compute starts its loop with it.
    cb_reserve_back(kCbUnits, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbUnits)) = share.count;
    cb_push_back(kCbUnits, 1);
    for (uint32_t unit = share.first; unit < share.first + share.count; ++unit) {
        const uint32_t strip = unit / strip_args.n_blocks;
        const uint32_t block = unit % strip_args.n_blocks;
        // Gate and then up, as compute takes them from one buffer.
        for (const uint32_t first : {args.first_gate, args.first_up}) {
            push_strip(ctas, rows, scales, strip, first + block, args.scale_stride);
        }
    }
}
