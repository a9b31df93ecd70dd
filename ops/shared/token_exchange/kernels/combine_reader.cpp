// SPDX-License-Identifier: Apache-2.0
// Reads the expert outputs whose tokens this core's peers own, each with its place there.
#include "peers.hpp"
#include "piece_reader.hpp"
#include "routing.hpp"

namespace {

using namespace tessera::ops::token_exchange;

// Origin of a row: the rank that owns the token, and the page of its contribution there.
struct Origin {
    uint32_t rank;
    uint32_t page;
};

// Origins of received rows, several at a time in L1.
template <typename Accessor>
class Origins {
public:
    Origins(const Shape& shape, const Accessor& source, uint32_t own_rank)
        : shape_(shape), source_(source), own_rank_(own_rank), l1_(get_write_ptr(kCbTable)) {}

    // Returns the origin of row `place` of a batch or, not batched, of the only one; places follow
    // each other.
    Origin at(uint32_t batch, uint32_t place) {
        // Places follow one another, so that one load serves a line of them.
        if (place % kLineEntries == 0) {
            load(batch, place);
        }
        if (!shape_.is_batched) {
            const auto* entry = words_at(l1_ + place % kLineEntries * kLineBytes);
            return {entry[0], entry[1] * shape_.num_ranks + own_rank_};
        }
        const uint32_t slots = shape_.num_tokens * shape_.top_k;
        const uint32_t entry = words_at(l1_)[place % kLineEntries];
        return {entry / slots, entry % slots};
    }

private:
    // Entries of batches are words of one row. Rows have a page each, which needs a read of its
    // own.
    void load(uint32_t batch, uint32_t place) {
        if (shape_.is_batched) {
            const uint32_t left = shape_.most_rows - place;
            const uint32_t entries = left < kLineEntries ? left : kLineEntries;
            noc_async_read(source_.get_noc_addr(batch, place * sizeof(uint32_t)), l1_,
                           entries * sizeof(uint32_t));
        } else {
            // The last group may be short, and nothing after the tensor may be read.
            for (uint32_t i = 0; i < kLineEntries && place + i < shape_.most_rows; ++i) {
                noc_async_read(source_.get_noc_addr(place + i), l1_ + i * kLineBytes,
                               2 * sizeof(uint32_t));
            }
        }
        noc_async_read_barrier();
    }

    const Shape& shape_;
    const Accessor& source_;
    uint32_t own_rank_;
    uint32_t l1_;
};

template <typename Accessor>
uint32_t read_count(const Accessor& num_received, uint32_t batch) {
    const uint32_t l1 = get_write_ptr(kCbCounts);
    noc_async_read(num_received.get_noc_addr(batch), l1, sizeof(uint32_t));
    noc_async_read_barrier();
    return words_at(l1)[0];
}

}  // namespace

void kernel_main() {
    using Tensors = CombineReaderTensors;
    const auto shape = Shape::read();
    const CombineReaderArgs::Each args{Tensors::Addresses::kCount};
    const uint32_t num_links = args.num_links();
    const uint32_t link = args.link();
    const PacketPieces row{args.row_bytes(), args.piece_bytes()};
    const uint32_t rank = args.rank();
    const Peers peers = peers_from_args(args.first_arg + CombineReaderArgs::kCount);
    const auto rows = TensorAccessor(Tensors::rows(), Tensors::rows_address());
    const auto source = TensorAccessor(Tensors::source(), Tensors::source_address());
    const auto num_received =
        TensorAccessor(Tensors::num_received(), Tensors::num_received_address());

    // Without peers there is nothing to send, and no count is read.
    const uint32_t num_batches = peers.count == 0   ? 0
                                 : shape.is_batched ? experts_per_rank(shape)
                                                    : 1;
    PieceReader pieces(kCbRows);
    Origins origins(shape, source, rank);
    for (uint32_t batch = 0; batch < num_batches; ++batch) {
        const uint32_t count = read_count(num_received, batch);
        for (uint32_t place = 0; place < count; ++place) {
            const Origin origin = origins.at(batch, place);
            const uint32_t peer = peers.find(origin.rank);
            // Links share the rows by their place, so that all have the same number of them.
            if (peer != peers.count && place % num_links == link) {
                push_command(1, peer, origin.page);
                pieces.read(row, rows, page_of(shape, batch, place));
            }
        }
    }
    pieces.push();
    // The writer ends with the last command, since it knows no counts.
    push_command(kEnd, 0, 0);
}
