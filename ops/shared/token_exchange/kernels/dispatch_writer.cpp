// SPDX-License-Identifier: Apache-2.0
// Sends the routing table to this core's peers, then rows to their places there.
#include "../../kernels/packet_pieces.hpp"
#include "peers.hpp"
#include "routing.hpp"

namespace {

// Sends the table into page `rank` of the peers' workspace.
template <typename Accessor>
void send_table(const Shape& shape, MeshLink& link, const Peers& peers, const Accessor& tables,
                uint32_t rank, const PacketPieces& packets, uint64_t arrived) {
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
void send_rows(const PacketPieces& row, const PacketPieces& scales_row, Send send,
               SendScales send_scales) {
    while (true) {
        cb_wait_front(kCbCommands, 1);
        // The reader's last command.
        if (words_at(get_read_ptr(kCbCommands))[0] == kEnd) {
            cb_pop_front(kCbCommands, 1);
            return;
        }
        for_each_piece(row, send);
        for_each_piece(scales_row, send_scales);
        cb_pop_front(kCbCommands, 1);
    }
}

}  // namespace

void kernel_main() {
    const Shape shape = SHAPE_FROM_COMPILE_ARGS;
    const uint32_t rank = get_arg_val<uint32_t>(3);
    const bool sends_table = get_arg_val<uint32_t>(4) != 0;
    const PacketPieces row{get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6)};
    const PacketPieces scales_row{get_arg_val<uint32_t>(7), get_arg_val<uint32_t>(6)};
    const uint32_t started_id = get_arg_val<uint32_t>(8);
    const uint32_t control_x = get_arg_val<uint32_t>(9);
    const uint32_t control_y = get_arg_val<uint32_t>(10);
    const uint64_t tables_arrived =
        get_noc_addr(control_x, control_y, get_semaphore(get_arg_val<uint32_t>(11)));
    const uint64_t rows_arrived =
        get_noc_addr(control_x, control_y, get_semaphore(get_arg_val<uint32_t>(12)));
    const bool is_local = get_arg_val<uint32_t>(13) != 0;
    const uint32_t table_packet = get_arg_val<uint32_t>(14);
    const Peers peers = peers_from_args(15);
    std::size_t arg_index = peers.end();

    constexpr auto received_args = TensorAccessorArgs<kShapeArgs>();
    constexpr auto scales_args = TensorAccessorArgs<kShapeArgs + 2>();
    constexpr auto tables_args = TensorAccessorArgs<kShapeArgs + 4>();
    const auto received = TensorAccessor(received_args, get_arg_val<uint32_t>(0));
    const auto scales = TensorAccessor(scales_args, get_arg_val<uint32_t>(1));
    const auto tables = TensorAccessor(tables_args, get_arg_val<uint32_t>(2));

    // Rows that stay are written by the NoC; no link takes part.
    if (is_local) {
        send_rows(
            row, scales_row,
            [&](uint32_t, uint32_t page, uint32_t source, uint32_t offset, uint32_t bytes) {
                noc_async_write(source, received.get_noc_addr(page, offset), bytes);
            },
            [&](uint32_t, uint32_t page, uint32_t source, uint32_t offset, uint32_t bytes) {
                noc_async_write(source, scales.get_noc_addr(page, offset), bytes);
            });
        noc_async_write_barrier();
        // One count a core, when all of its rows have arrived.
        noc_semaphore_inc(rows_arrived, 1);
        noc_async_atomic_barrier();
        return;
    }
    if (peers.count == 0) {
        return;
    }
    // A packet's payload is a multiple of 16 bytes.
    const auto padded = [](uint32_t bytes) { return (bytes + 15) / 16 * 16; };
    MeshLink link(arg_index);
    // No device may be sent to before its program runs: buffers and semaphores of the program
    // before would be hit.
    link.start_together(peers, started_id);
    if (sends_table) {
        send_table(shape, link, peers, tables, rank, {shape.table_bytes(), table_packet},
                   tables_arrived);
    }
    send_rows(
        row, scales_row,
        [&](uint32_t peer, uint32_t page, uint32_t source, uint32_t offset, uint32_t bytes) {
            link.send(peers.target(peer), source, received.get_noc_addr(page, offset),
                      padded(bytes));
        },
        [&](uint32_t peer, uint32_t page, uint32_t source, uint32_t offset, uint32_t bytes) {
            link.send(peers.target(peer), source, scales.get_noc_addr(page, offset), padded(bytes));
        });
    // Also to peers without a row: each waits for all senders.
    for (uint32_t i = 0; i < peers.count; ++i) {
        link.count(peers.target(i), rows_arrived);
    }
    link.close();
}
