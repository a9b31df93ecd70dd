// SPDX-License-Identifier: Apache-2.0
// Reads the expert outputs whose tokens this core's peers own, each with its place there.
#include "peers.hpp"
#include "piece_reader.hpp"
#include "routing.hpp"

namespace {

constexpr uint32_t kEntriesAtOnce = 16;

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
        // Places follow one another, so that one load serves 16 of them.
        if (place % kEntriesAtOnce == 0) {
            load(batch, place);
        }
        if (!shape_.is_batched) {
            const auto* entry = words_at(l1_ + place % kEntriesAtOnce * kStride);
            return {entry[0], entry[1] * shape_.num_ranks + own_rank_};
        }
        const uint32_t slots = shape_.num_tokens * shape_.top_k;
        const uint32_t entry = words_at(l1_)[place % kEntriesAtOnce];
        return {entry / slots, entry % slots};
    }

private:
    static constexpr uint32_t kStride = 64;

    // Entries of batches are words of one row. Rows have a page each, which needs a read of its
    // own.
    void load(uint32_t batch, uint32_t place) {
        if (shape_.is_batched) {
            const uint32_t left = shape_.most_rows - place;
            const uint32_t entries = left < kEntriesAtOnce ? left : kEntriesAtOnce;
            noc_async_read(source_.get_noc_addr(batch, place * sizeof(uint32_t)), l1_,
                           entries * sizeof(uint32_t));
        } else {
            // The last group may be short, and nothing after the tensor may be read.
            for (uint32_t i = 0; i < kEntriesAtOnce && place + i < shape_.most_rows; ++i) {
                noc_async_read(source_.get_noc_addr(place + i), l1_ + i * kStride,
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
    const Shape shape = SHAPE_FROM_COMPILE_ARGS;
    const uint32_t num_links = get_arg_val<uint32_t>(3);
    const uint32_t link = get_arg_val<uint32_t>(4);
    const PacketPieces row{get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6)};
    const uint32_t rank = get_arg_val<uint32_t>(7);
    const Peers peers = peers_from_args(8);

    constexpr auto rows_args = TensorAccessorArgs<kShapeArgs>();
    constexpr auto source_args = TensorAccessorArgs<kShapeArgs + 2>();
    constexpr auto counts_args = TensorAccessorArgs<kShapeArgs + 4>();
    const auto rows = TensorAccessor(rows_args, get_arg_val<uint32_t>(0));
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(1));
    const auto num_received = TensorAccessor(counts_args, get_arg_val<uint32_t>(2));

    // Without peers there is nothing to send, and no count is read.
    const uint32_t num_batches = peers.count == 0   ? 0
                                 : shape.is_batched ? shape.experts_per_rank()
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
                pieces.read(row, rows, shape.page_of(batch, place));
            }
        }
    }
    pieces.push();
    // The writer ends with the last command, since it knows no counts.
    push_command(kEnd, 0, 0);
}
