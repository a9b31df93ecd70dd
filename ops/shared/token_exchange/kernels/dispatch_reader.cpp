// SPDX-License-Identifier: Apache-2.0
// Reads the rows that go to this core's peers, each with the pages it goes to.
#include "peers.hpp"
#include "piece_reader.hpp"
#include "routing.hpp"

namespace {

// Targets of one row, as the writer reads them: their number, then peer and page of each.
class Command {
public:
    // The page of a command is written in place, so that nothing is copied.
    void begin() {
        cb_reserve_back(kCbCommands, 1);
        words_ = words_at(get_write_ptr(kCbCommands));
        words_[0] = 0;
    }
    void add(uint32_t peer, uint32_t page) {
        words_[1 + 2 * words_[0]] = peer;
        words_[2 + 2 * words_[0]] = page;
        words_[0] = words_[0] + 1;
    }
    bool is_empty() const { return words_[0] == 0; }
    void push() const { cb_push_back(kCbCommands, 1); }
    void push_end() {
        begin();
        words_[0] = kEnd;
        push();
    }

private:
    volatile tt_l1_ptr uint32_t* words_ = nullptr;
};

}  // namespace

void kernel_main() {
    const Shape shape = SHAPE_FROM_COMPILE_ARGS;
    const uint32_t num_links = get_arg_val<uint32_t>(4);
    const uint32_t link = get_arg_val<uint32_t>(5);
    const PacketPieces row{get_arg_val<uint32_t>(6), get_arg_val<uint32_t>(7)};
    const PacketPieces scales_row{get_arg_val<uint32_t>(8), get_arg_val<uint32_t>(7)};
    auto* bases_ready = semaphore_at(get_arg_val<uint32_t>(9));
    const uint32_t rank = get_arg_val<uint32_t>(10);
    const Peers peers = peers_from_args(11);

    constexpr auto tokens_args = TensorAccessorArgs<kShapeArgs>();
    constexpr auto ids_args = TensorAccessorArgs<kShapeArgs + 2>();
    constexpr auto weights_args = TensorAccessorArgs<kShapeArgs + 4>();
    constexpr auto scales_args = TensorAccessorArgs<kShapeArgs + 6>();
    const auto tokens = TensorAccessor(tokens_args, get_arg_val<uint32_t>(0));
    const auto ids = TensorAccessor(ids_args, get_arg_val<uint32_t>(1));
    const auto weights = TensorAccessor(weights_args, get_arg_val<uint32_t>(2));
    const auto scales = TensorAccessor(scales_args, get_arg_val<uint32_t>(3));

    Command command;
    // The writer of a core without peers still waits for an end.
    if (peers.count == 0) {
        command.push_end();
        return;
    }
    // The table is a circular buffer, so that the writer sends it when it is complete.
    cb_reserve_back(kCbTable, 1);
    const Routing routing{shape, get_write_ptr(kCbTable)};
    read_table(shape, ids, weights, routing.address);
    cb_push_back(kCbTable, 1);

    // Every link's core counts all rows, so that each knows the places of its own ones.
    auto* next_place = words_at(get_write_ptr(kCbBases));
    const bool is_one_phase = shape.pair_rows != 0;
    if (is_one_phase) {
        // In one phase places count from the start of the sender's own part.
        for (uint32_t bin = 0; bin < shape.num_bins(); ++bin) {
            next_place[bin] = 0;
        }
    } else {
        // The bases come from the control core, which has walked the tables of lower ranks.
        noc_semaphore_wait(bases_ready, 1);
    }
    const uint32_t first_place = rank * shape.pair_rows;
    const uint32_t most_rows = is_one_phase ? shape.pair_rows : shape.most_rows;
    PieceReader pieces(kCbRows);
    for (uint32_t token = 0; token < shape.num_tokens; ++token) {
        command.begin();
        routing.for_each_slot(token, [&](uint32_t, uint32_t expert, uint32_t bin, bool is_first) {
            const uint32_t peer = peers.find(shape.rank_of(expert));
            // A row goes to a rank once; its other experts there find it by the ids that travel
            // along.
            if (!is_first || peer == peers.count) {
                return;
            }
            const uint32_t place = next_place[bin];
            next_place[bin] = place + 1;
            // Tokens take the links in turn, so that all links have the same number of rows.
            if (token % num_links == link && place < most_rows) {
                command.add(peer, shape.page_of(bin, first_place + place));
            }
        });
        // The page stays reserved and is used for the next token.
        if (command.is_empty()) {
            continue;
        }
        command.push();
        // Scales follow the row in the same buffer; the writer takes them apart by the sizes.
        pieces.read(row, tokens, token);
        pieces.read(scales_row, scales, token);
    }
    pieces.push();
    command.push_end();
}
