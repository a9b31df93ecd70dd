// SPDX-License-Identifier: Apache-2.0
// DRAM banks: accesses of reads and writes, and the buffer of written data in front of each bank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/noc_paths.hpp"
#include "emu/timing/network/resource_queues.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

class DramBanks {
public:
    DramBanks(const Machine& machine, std::uint32_t num_devices, const NocPaths& paths,
              ResourceQueues& queues, TransferPool& transfers);

    // Accesses (dram_banks.cpp)
    /// Starts an access of `bytes` at the bank of a transfer and returns its duration. If the bank
    /// is busy it queues the transfer, which comes back with an event of its own, and returns
    /// nothing.
    [[nodiscard]] std::optional<Millicycles> start_access(Transfer& transfer,
                                                          NocPaths::Access access,
                                                          std::uint32_t bytes, Millicycles now,
                                                          EventQueue& queue);

    // Writes (dram_writes.cpp)
    /// Reserves room for the next packet of a write in its bank's buffer. Returns false if there is
    /// none: the write waits for room, and comes back with an event and Unicast::has_room.
    [[nodiscard]] bool reserve_room(Transfer& write);
    /// Starts a transfer that requests the bank for the next packet of a write, which flows into
    /// the buffer from `begin` on.
    /// Precondition   the packet has room.
    void start_write(Transfer& write, Millicycles begin, EventQueue& queue);
    /// Begins with a packet of the buffer if its bank is free. Returns the write if its delivery
    /// waited for this packet, else nullptr.
    [[nodiscard]] Transfer* begin_write(Transfer& packet, Millicycles now, EventQueue& queue);

private:
    /// Written data in front of a bank that the bank has not begun with.
    struct WriteBuffer {
        std::uint32_t taken = 0;         ///< bytes
        TransferId first = kNoTransfer;  ///< writes that wait for room, by next_waiting
        TransferId last = kNoTransfer;
    };

    [[nodiscard]] std::size_t index(std::uint32_t device, std::uint32_t bank) const noexcept;
    [[nodiscard]] WriteBuffer& buffer_of(const Request& request) noexcept;
    [[nodiscard]] bool has_room(const WriteBuffer& buffer) const noexcept;
    /// Returns the bytes of a packet to the buffer, and gives writes that wait their room.
    void release_room(WriteBuffer& buffer, std::uint32_t bytes, Millicycles now, EventQueue& queue);

    const ArchSpec& arch_;
    const NocPaths& paths_;
    ResourceQueues& queues_;
    TransferPool& transfers_;
    std::uint32_t buffer_size_;                    ///< bytes of each bank's buffer
    std::vector<WriteBuffer> buffers_;             ///< by (device, bank)
    std::vector<NocPaths::Access> last_accesses_;  ///< by (device, channel)
};

}  // namespace tessera::timing
