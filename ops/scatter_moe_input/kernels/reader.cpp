// SPDX-License-Identifier: Apache-2.0
// Gathers the valid rows among rows [first_row, first_row + num_rows) of the output (E/D·T rows).
// It hands their pieces to the writer, a block of pages at a time.
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::scatter_moe_input;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbIndices = index_of(Cb::Indices);
constexpr uint32_t kCbCount = index_of(Cb::ReaderCount);

// The routing tables of one expert.
struct ExpertRows {
    PageAccessor counts;
    PageAccessor routed;
    uint32_t expert = 0;
    uint32_t count = 0;
    uint32_t first_index = 0xFFFFFFFF;  // start of the part of `routed` in L1

    void select(uint32_t next_expert) {
        expert = next_expert;
        // A new expert has a new row of indices, so the held part is invalid.
        first_index = 0xFFFFFFFF;
        const uint32_t count_l1 = get_write_ptr(kCbCount);
        noc_async_read(counts.get_noc_addr(expert), count_l1, sizeof(uint32_t));
        noc_async_read_barrier();
        count = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(count_l1);
    }

    uint32_t token(uint32_t position) {
        const uint32_t first = position / kIndexEntries * kIndexEntries;
        const uint32_t indices_l1 = get_write_ptr(kCbIndices);
        // Positions ascend, so each part is read once.
        if (first != first_index) {
            first_index = first;
            noc_async_read(routed.get_noc_addr(expert, first * sizeof(uint32_t)), indices_l1,
                           smaller(count - first, kIndexEntries) * sizeof(uint32_t));
            noc_async_read_barrier();
        }
        return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(indices_l1)[position - first];
    }
};

// Collects pieces of rows in the circular buffer and pushes whole blocks; the last one may be
// partly filled.
struct BlockFiller {
    uint32_t row_bytes;
    uint32_t piece_bytes;
    uint32_t page_bytes;
    uint32_t block;
    uint32_t filled = 0;

    void push() {
        // One barrier a block; its pieces are in flight together.
        noc_async_read_barrier();
        cb_push_back(kCbRows, block);
        filled = 0;
    }
    void add_piece(uint64_t address, uint32_t bytes) {
        if (filled == 0) {
            cb_reserve_back(kCbRows, block);
        }
        noc_async_read(address, get_write_ptr(kCbRows) + filled * page_bytes, bytes);
        filled += 1;
        if (filled == block) {
            push();
        }
    }
    void add_row(const PageAccessor& rows, uint32_t row) {
        for (uint32_t offset = 0; offset < row_bytes; offset += piece_bytes) {
            add_piece(rows.get_noc_addr(row, offset), smaller(row_bytes - offset, piece_bytes));
        }
    }
};

}  // namespace

void kernel_main() {
    // Addresses are loaded together, before the accessors are made of them.
    const auto at = ReaderTensors::Addresses::read();
    const auto range = RowRange::read(ReaderTensors::Addresses::kCount);
    const auto args = PieceArgs::read();
    const auto hidden = TensorAccessor(ReaderTensors::hidden(), at.hidden);

    ExpertRows rows{TensorAccessor(ReaderTensors::counts(), at.counts),
                    TensorAccessor(ReaderTensors::routed(), at.routed)};
    BlockFiller filler{args.row_bytes, args.piece_bytes, args.page_bytes, args.block};
    const uint32_t end_row = range.first_row + range.num_rows;
    // The core's range may begin and end within an expert.
    for (uint32_t row = range.first_row; row < end_row;) {
        const uint32_t expert = row / args.num_tokens;
        const uint32_t expert_row = expert * args.num_tokens;
        rows.select(expert);
        const uint32_t end_position = smaller(end_row - expert_row, rows.count);
        for (uint32_t position = row - expert_row; position < end_position; ++position) {
            filler.add_row(hidden, rows.token(position));
        }
        row = expert_row + args.num_tokens;
    }
    // The last block may be partly filled; the writer takes its pages one by one.
    if (filler.filled != 0) {
        filler.push();
    }
}
