// SPDX-License-Identifier: Apache-2.0
#include "emu/core/noc_port.hpp"

#include <cstring>

#include "emu/core/core.hpp"

namespace tessera {

namespace {

/// Returns whether the transfer would change no byte.
bool is_there_already(const Transfer& transfer, const std::byte* source) {
    return transfer.is_without_values &&
           std::memcmp(transfer.destination, source, transfer.size) == 0;
}

}  // namespace

void deliver(Transfer& transfer) {
    if (transfer.is_delivered) {
        return;
    }
    transfer.is_delivered = true;
    const std::byte* source = transfer.flushed_copy ? transfer.flushed_copy.get() : transfer.source;
    // A word may be a flag that another worker's thread polls: it is stored as a whole, and behind
    // what was delivered before it.
    if (transfer.size == 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, source, 4);
        __atomic_store_n(reinterpret_cast<std::uint32_t*>(transfer.destination), word,
                         __ATOMIC_RELEASE);
    } else if (!is_there_already(transfer, source)) {
        // Without values most tiles are zeros that replace zeros. A write would commit the host's
        // memory for each L1.
        std::memmove(transfer.destination, source, transfer.size);
    }
    if (transfer.written_core != nullptr) {
        transfer.written_core->semaphore_waiters.notify(transfer.written_address, transfer.size);
    }
}

}  // namespace tessera
