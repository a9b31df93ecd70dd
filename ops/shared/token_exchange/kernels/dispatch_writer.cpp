// SPDX-License-Identifier: Apache-2.0
// Sends the routing table to this core's peers, then rows to their places there.
#include "../../kernels/packet_pieces.hpp"
#include "peers.hpp"
#include "routing.hpp"

namespace {

using namespace tessera::ops::token_exchange;

constexpr uint32_t kPeerList = WriterTensors::Addresses::kCount + WriterArgs::kCount;

struct Rows {
    PacketPieces row;
    PacketPieces scales_row;
};

struct Targets {
    PageAccessor rows;
    PageAccessor scales;
};

// Sends the table into page `rank` of the peers' workspace.
void send_table(MeshLink& link, const Peers& peers, const PageAccessor& tables, uint32_t rank,
                const PacketPieces& packets, uint64_t arrived) {
    // The table comes from the reader, which needs it first.
    cb_wait_front(kCbTable, 1);
    const uint32_t source = get_read_ptr(kCbTable);
    for (uint32_t i = 0; i < peers.count; ++i) {
        packets.for_each([&](uint32_t offset, uint32_t bytes) {
            link.send(peers.target(i), source + offset, tables.get_noc_addr(rank, offset), bytes);
        });
        // Follows the table's packets on the same link, so that it cannot arrive before them.
        link.count(peers.target(i), arrived);
    }
}

// Calls send(peer, page, source, offset, bytes) for each piece and target of the next row.
template <typename Send>
void for_each_piece(const PacketPieces& row, Send send) {
    const auto* command = words_at(get_read_ptr(kCbCommands));
    row.for_each([&](uint32_t offset, uint32_t bytes) {
        cb_wait_front(kCbRows, 1);
        // One piece is sent to all ranks that need the row: it is read from DRAM once.
        for (uint32_t i = 0; i < command[0]; ++i) {
            send(command[1 + 2 * i], command[2 + 2 * i], get_read_ptr(kCbRows), offset, bytes);
        }
        // The piece's page is read into again after the pop.
        noc_async_writes_flushed();
        cb_pop_front(kCbRows, 1);
    });
}

// Sends rows of both tensors, until the reader says that there are no more.
template <typename Send, typename SendScales>
void send_rows(const Rows& rows, Send send, SendScales send_scales) {
    while (true) {
        cb_wait_front(kCbCommands, 1);
        // The reader's last command.
        if (words_at(get_read_ptr(kCbCommands))[0] == kEnd) {
            cb_pop_front(kCbCommands, 1);
            return;
        }
        for_each_piece(rows.row, send);
        for_each_piece(rows.scales_row, send_scales);
        cb_pop_front(kCbCommands, 1);
    }
}

// Writes rows that stay on the device, without a link.
void write_rows(const Rows& rows, const Targets& targets, uint64_t rows_arrived) {
    send_rows(
        rows,
        [&](uint32_t, uint32_t page, uint32_t source, uint32_t offset, uint32_t bytes) {
            noc_async_write(source, targets.rows.get_noc_addr(page, offset), bytes);
        },
        [&](uint32_t, uint32_t page, uint32_t source, uint32_t offset, uint32_t bytes) {
            noc_async_write(source, targets.scales.get_noc_addr(page, offset), bytes);
        });
    noc_async_write_barrier();
    // One count a core, when all of its rows have arrived.
    noc_semaphore_inc(rows_arrived, 1);
    noc_async_atomic_barrier();
}

void send_to_peers(MeshLink& link, const Peers& peers, const Rows& rows, const Targets& targets,
                   uint64_t rows_arrived) {
    // A packet's payload is a multiple of 16 bytes.
    const auto padded = [](uint32_t bytes) { return (bytes + 15) / 16 * 16; };
    send_rows(
        rows,
        [&](uint32_t peer, uint32_t page, uint32_t source, uint32_t offset, uint32_t bytes) {
            link.send(peers.target(peer), source, targets.rows.get_noc_addr(page, offset),
                      padded(bytes));
        },
        [&](uint32_t peer, uint32_t page, uint32_t source, uint32_t offset, uint32_t bytes) {
            link.send(peers.target(peer), source, targets.scales.get_noc_addr(page, offset),
                      padded(bytes));
        });
    // Also to peers without a row: each waits for all senders.
    for (uint32_t i = 0; i < peers.count; ++i) {
        link.count(peers.target(i), rows_arrived);
    }
}

}  // namespace

void kernel_main() {
    const auto shape = Shape::read();
    const WriterArgs::Each args{WriterTensors::Addresses::kCount};
    const uint32_t rank = args.rank();
    const bool sends_table = args.sends_table() != 0;
    const PacketPieces row{args.row_bytes(), args.piece_bytes()};
    const Rows rows{row, {args.scales_bytes(), args.piece_bytes()}};
    const uint32_t started_id = args.started_semaphore();
    const uint32_t control_x = args.control_x();
    const uint32_t control_y = args.control_y();
    const uint64_t tables_arrived =
        get_noc_addr(control_x, control_y, get_semaphore(args.tables_semaphore()));
    const uint64_t rows_arrived =
        get_noc_addr(control_x, control_y, get_semaphore(args.rows_semaphore()));
    const bool is_local = args.is_local() != 0;
    const uint32_t table_packet = args.table_packet();
    const Peers peers = peers_from_args(kPeerList);
    std::size_t arg_index = peers.end();
    const Targets targets{TensorAccessor(WriterTensors::rows(), WriterTensors::rows_address()),
                          TensorAccessor(WriterTensors::scales(), WriterTensors::scales_address())};
    const auto tables = TensorAccessor(WriterTensors::tables(), WriterTensors::tables_address());

    if (is_local) {
        write_rows(rows, targets, rows_arrived);
        return;
    }
    if (peers.count == 0) {
        return;
    }
    MeshLink link(arg_index);
    // No device may be sent to before its program runs: buffers and semaphores of the program
    // before would be hit.
    link.start_together(peers, started_id);
    if (sends_table) {
        send_table(link, peers, tables, rank, {table_bytes(shape), table_packet}, tables_arrived);
    }
    send_to_peers(link, peers, rows, targets, rows_arrived);
    link.close();
}
