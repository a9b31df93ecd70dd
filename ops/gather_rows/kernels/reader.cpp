// SPDX-License-Identifier: Apache-2.0
// Pushes this core's rows of the output: the input rows that a table or a range names,
// and filling for rows without a source.
#include "../../shared/expert_rows/kernels/row_pieces.hpp"
#include "../../shared/kernels/fill_l1.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::row_moves;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_indices = index_of(Cb::Indices);
constexpr uint32_t cb_limit = index_of(Cb::ReaderLimit);
constexpr uint32_t cb_fill = index_of(Cb::Fill);

// Returns the input row of an output row.
template <class Accessor>
struct Sources {
    const Accessor& index;
    uint32_t width;  // entries of a page of the index; 0: a range
    uint32_t first;  // start of the range
    uint32_t divisor;
    uint32_t entries_at_once;
    // A part of the table stays in L1: entries are used in order, so most rows need no read.
    uint32_t held_page = 0xFFFFFFFF;
    uint32_t held_first = 0;

    uint32_t of(uint32_t row) {
        if (width == 0) {
            return first + row;
        }
        // Parts begin at multiples of entries_at_once, so a part's address in the table is aligned.
        const uint32_t page = row / width;
        const uint32_t start = row % width / entries_at_once * entries_at_once;
        if (page != held_page || start != held_first) {
            held_page = page;
            held_first = start;
            const uint32_t left = width - start;
            noc_async_read(index.get_noc_addr(page, start * 4), get_write_ptr(cb_indices),
                           (left < entries_at_once ? left : entries_at_once) * 4);
            noc_async_read_barrier();
        }
        const uint32_t entry = words_at(get_write_ptr(cb_indices))[row % width - start];
        // One kernel for tables and ranges: a range needs no read at all.
        return entry == kNobody ? kNobody : entry / divisor;
    }
};

// Rows of the input that exist. A limit is known on the device only; rows from it on are filled as
// if they did not exist.
template <class Accessor>
uint32_t rows_of_input(const Accessor& limit, uint32_t most) {
    read_pages(limit, 0, 1, get_write_ptr(cb_limit), 0, 4);
    const uint32_t given = words_at(get_write_ptr(cb_limit))[0];
    return given < most ? given : most;
}

// Sends the pieces of a row, each from the address that `address_of` returns for its offset. Rows
// that exceed a page of the buffer are split; the writer uses the same split.
template <class AddressOf>
void add_row(PieceFiller& filler, const RowPieces& pieces, const AddressOf& address_of) {
    for (uint32_t offset = 0; offset < pieces.row_bytes; offset += pieces.piece_bytes) {
        filler.add(address_of(offset), pieces.length_at(offset));
    }
}

}  // namespace

void kernel_main() {
    const auto range = RowRange::read();
    const auto piece_args = PieceArgs::read();
    const auto args = ReaderArgs::read();
    const RowPieces pieces = row_pieces(piece_args);
    const auto limited = static_cast<Limit>(piece_args.limited);
    const auto input =
        TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address(RowRange::kCount));
    const auto index =
        TensorAccessor(ReaderTensors::index(), ReaderTensors::index_address(RowRange::kCount));
    const auto limit =
        TensorAccessor(ReaderTensors::limit(), ReaderTensors::limit_address(RowRange::kCount));
    Sources<decltype(index)> sources{.index = index,
                                     .width = args.index_width,
                                     .first = args.first_row,
                                     .divisor = args.divisor,
                                     .entries_at_once = args.entries_at_once};

    const uint32_t input_rows =
        limited == Limit::OfInput ? rows_of_input(limit, args.input_rows) : args.input_rows;
    const CoreRows rows = rows_of_core(limit, limited, cb_limit, range);
    const uint32_t filled_l1 = get_write_ptr(cb_fill);
    bool is_filled = false;
    PieceFiller filler{cb_rows, pieces};
    for (uint32_t row = rows.first; row < rows.end; ++row) {
        const uint32_t source = sources.of(row);
        const bool has_source = source < input_rows;
        // Rows without a source are sent from L1 through the same path, so reader and writer count
        // the same pieces. The piece is made for the first of them, since most moves have none.
        if (!has_source && !is_filled) {
            fill_l1(filled_l1, pieces.page_bytes, args.fill);
            is_filled = true;
        }
        add_row(filler, pieces, [&](uint32_t offset) {
            return has_source ? input.get_noc_addr(source, offset) : get_noc_addr(filled_l1);
        });
    }
    filler.finish();
}
