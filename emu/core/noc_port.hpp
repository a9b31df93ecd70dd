// SPDX-License-Identifier: Apache-2.0
// State of one kernel thread on one NoC: its transfers in flight and its latched commands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tessera/call_site.hpp"
#include "tessera/noc_delivery.hpp"

namespace tessera {

class Core;

enum class TransferKind : std::uint8_t { Read, Write };

/// Transfer that was issued and that no barrier has confirmed yet.
struct Transfer {
    TransferKind kind = TransferKind::Read;
    bool posted = false;
    bool is_delivered = false;  ///< has taken effect, before a barrier confirms it
    std::uint8_t transaction_id = 0;
    std::uint32_t local_address = 0;  ///< L1 address on the issuing core
    std::uint32_t size = 0;
    const std::byte* source = nullptr;
    std::byte* destination = nullptr;
    Core* written_core = nullptr;  ///< core whose L1 a write lands in; null for DRAM and reads
    std::uint32_t written_address = 0;
    /// 1 + channel of the mesh link that carries a write to another device; 0 for the NoC alone.
    std::uint8_t link = 0;
    bool is_announced = false;       ///< a flag was sent to the same core after it
    bool is_awaited = false;         ///< announced, and the issuer has waited on a semaphore since
    bool is_without_values = false;  ///< values are not computed, so its bytes may be zeros
    /// Data of a write that was flushed before it took effect; the source may be reused.
    std::shared_ptr<const std::byte[]> flushed_copy;
    CallSite site;
};

/// Command that `…_set_state` latched for later `…_with_state` calls; any other command of the same
/// kind on this port destroys it.
struct LatchedCommand {
    bool is_valid = false;
    std::uint64_t noc_address = 0;
    std::uint32_t size = 0;
    std::optional<std::uint32_t> value;  ///< value of an inline write
};

/// Number of command buffers that one data-movement processor has on a NoC.
inline constexpr std::size_t kCommandBuffers = 4;

/// Registers of one command buffer, as a kernel wrote them.
struct NocRegisters {
    static constexpr std::size_t kWords = 18;
    std::array<std::uint32_t, kWords> words{};

    /// Returns the register at a byte offset.
    [[nodiscard]] std::uint32_t& at(std::uint32_t offset) {
        return words[offset / sizeof(std::uint32_t)];
    }
};

/// State of one kernel thread on one NoC.
struct NocPort {
    std::vector<Transfer> in_flight;  ///< oldest first
    LatchedCommand read_state;
    LatchedCommand write_state;
    LatchedCommand inline_write_state;
    std::array<NocRegisters, kCommandBuffers> registers;
    std::uint8_t read_transaction_id = 0;
    std::uint8_t write_transaction_id = 0;
    std::uint32_t num_reads_in_flight = 0;
    std::uint32_t num_writes_in_flight = 0;
    std::uint32_t num_own_writes_in_flight = 0;  ///< writes to the L1 of the thread's own core
    std::uint64_t num_issued = 0;                ///< transfers since launch; seeds random delivery
    CallSite atomic;  ///< first non-posted atomic since the last barrier; line 0: none
    CallSite linked;  ///< last multicast, if it keeps its path for another; line 0: it does not

    /// Sets `atomic` unless it is set already.
    void note_atomic(CallSite site) noexcept { atomic = atomic.line == 0 ? site : atomic; }
};

/// Returns the first transfer of a kind that fills (a read) or still reads (a write) bytes of
/// [address, address + size) of its thread's own L1; nullptr if there is none.
[[nodiscard]] inline const Transfer* find_in_flight(std::span<const NocPort> ports,
                                                    TransferKind kind, std::uint32_t address,
                                                    std::uint32_t size) noexcept {
    for (const NocPort& port : ports) {
        for (const Transfer& transfer : port.in_flight) {
            const bool overlaps = transfer.local_address < address + size &&
                                  address < transfer.local_address + transfer.size;
            if (overlaps && transfer.kind == kind && transfer.flushed_copy == nullptr) {
                return &transfer;
            }
        }
    }
    return nullptr;
}
/// Returns the first write of a thread into bytes of [address, address + size) of its own core's
/// L1, flushed or not; nullptr if there is none.
[[nodiscard]] inline Transfer* find_own_write(std::span<NocPort> ports, const Core& core,
                                              std::uint32_t address, std::uint32_t size) noexcept {
    for (NocPort& port : ports) {
        for (Transfer& transfer : port.in_flight) {
            const bool overlaps = transfer.written_address < address + size &&
                                  address < transfer.written_address + transfer.size;
            if (transfer.written_core == &core && overlaps && !transfer.is_awaited) {
                return &transfer;
            }
        }
    }
    return nullptr;
}
/// Lets a transfer take effect: copies the bytes and wakes the threads that wait on them.
void deliver(Transfer& transfer);
/// Returns the calls after which find_in_flight() finds no transfer of the kind, for messages.
[[nodiscard]] constexpr const char* settled_by(TransferKind kind) noexcept {
    return kind == TransferKind::Read ? "noc_async_read_barrier"
                                      : "noc_async_writes_flushed or noc_async_write_barrier";
}

}  // namespace tessera
