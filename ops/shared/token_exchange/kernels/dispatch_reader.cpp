// SPDX-License-Identifier: Apache-2.0
// Reads the rows that go to this core's peers, each with the pages it goes to.
#include "peers.hpp"
#include "piece_reader.hpp"
#include "routing.hpp"

namespace {

using namespace tessera::ops::token_exchange;

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

// The share of this core's link.
struct LinkShare {
    uint32_t num_links;
    uint32_t link;
};

// Places of this rank's rows at their receivers.
struct Places {
    volatile tt_l1_ptr uint32_t* next;  // by bin
    uint32_t first;                     // of a bin
    uint32_t most_rows;
};

// Every link's core counts all rows, so that each knows the places of its own ones.
Places first_places(const Shape& shape, uint32_t rank, volatile tt_l1_ptr uint32_t* bases_ready) {
    auto* next = words_at(get_write_ptr(kCbBases));
    const bool is_one_phase = shape.pair_rows != 0;
    if (is_one_phase) {
        // In one phase places count from the start of the sender's own part.
        for (uint32_t bin = 0; bin < num_bins(shape); ++bin) {
            next[bin] = 0;
        }
    } else {
        // The bases come from the control core, which has walked the tables of lower ranks.
        noc_semaphore_wait(bases_ready, 1);
    }
    return {next, rank * shape.pair_rows, is_one_phase ? shape.pair_rows : shape.most_rows};
}

// Writes the targets of a token's row that this link sends into `command`.
void find_targets(const Routing& routing, const Peers& peers, const LinkShare& share,
                  const Places& places, uint32_t token, Command& command) {
    const Shape& shape = routing.shape;
    routing.for_each_slot(token, [&](uint32_t, uint32_t expert, uint32_t bin, bool is_first) {
        const uint32_t peer = peers.find(rank_of(shape, expert));
        // A row goes to a rank once; its other experts there find it by the ids that travel along.
        if (!is_first || peer == peers.count) {
            return;
        }
        const uint32_t place = places.next[bin];
        places.next[bin] = place + 1;
        // Tokens take the links in turn, so that all links have the same number of rows.
        if (token % share.num_links == share.link && place < places.most_rows) {
            command.add(peer, page_of(shape, bin, places.first + place));
        }
    });
}

struct Inputs {
    using Tensors = DispatchReaderTensors;

    PageAccessor tokens{Tensors::tokens(), Tensors::tokens_address()};
    PageAccessor ids{Tensors::ids(), Tensors::ids_address()};
    PageAccessor weights{Tensors::weights(), Tensors::weights_address()};
    PageAccessor scales{Tensors::scales(), Tensors::scales_address()};
};

}  // namespace

void kernel_main() {
    const auto shape = Shape::read();
    const DispatchReaderArgs::Each args{DispatchReaderTensors::Addresses::kCount};
    const LinkShare share{args.num_links(), args.link()};
    const PacketPieces row{args.row_bytes(), args.piece_bytes()};
    const PacketPieces scales_row{args.scales_bytes(), args.piece_bytes()};
    auto* bases_ready = semaphore_at(args.bases_semaphore());
    const uint32_t rank = args.rank();
    const Peers peers = peers_from_args(args.first_arg + DispatchReaderArgs::kCount);
    const Inputs inputs;

    Command command;
    // The writer of a core without peers still waits for an end.
    if (peers.count == 0) {
        command.push_end();
        return;
    }
    // The table is a circular buffer, so that the writer sends it when it is complete.
    cb_reserve_back(kCbTable, 1);
    const Routing routing{shape, get_write_ptr(kCbTable)};
    read_table(shape, inputs.ids, inputs.weights, routing.address);
    cb_push_back(kCbTable, 1);

    const Places places = first_places(shape, rank, bases_ready);
    PieceReader pieces(kCbRows);
    for (uint32_t token = 0; token < shape.num_tokens; ++token) {
        command.begin();
        find_targets(routing, peers, share, places, token, command);
        // The page stays reserved and is used for the next token.
        if (command.is_empty()) {
            continue;
        }
        command.push();
        // Scales follow the row in the same buffer; the writer takes them apart by the sizes.
        pieces.read(row, inputs.tokens, token);
        pieces.read(scales_row, inputs.scales, token);
    }
    pieces.push();
    command.push_end();
}
