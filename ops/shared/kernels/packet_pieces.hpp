// SPDX-License-Identifier: Apache-2.0
// Split of rows or pages into packets, for every kernel that sends them over a mesh link.
#pragma once

#include <cstdint>

// Contiguous bytes that travel in packets: whole pieces, then the rest. Bytes that fit into one
// piece are one packet. The host chooses `piece_bytes` (exchange::packet_piece): no packet holds
// more.
struct PacketPieces {
    uint32_t bytes;
    uint32_t piece_bytes;  // bytes of each piece except the last

    // Calls act(offset, bytes) for each piece.
    template <typename Act>
    void for_each(Act act) const {
        for (uint32_t offset = 0; offset < bytes; offset += piece_bytes) {
            const uint32_t left = bytes - offset;
            act(offset, left < piece_bytes ? left : piece_bytes);
        }
    }
};
