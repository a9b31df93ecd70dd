// SPDX-License-Identifier: Apache-2.0
// Issues and completes asynchronous reads and writes. A transfer is issued, is in flight, and takes
// effect at a time that the kernel learns only from a barrier. A flush tells that the sources of
// writes may be reused.
#pragma once

#include <cstdint>
#include <optional>

#include "emu/core/noc_port.hpp"
#include "tessera/call_site.hpp"

namespace tessera {

class KernelThread;

/// Longest transfer that a call may issue: any, or one packet of the architecture.
enum class TransferLimit : std::uint8_t { None, OnePacket };

/// Options of a transfer besides its addresses.
struct TransferStyle {
    TransferLimit limit = TransferLimit::None;
    bool posted = false;      ///< write without acknowledgement
    bool with_state = false;  ///< uses a latched command
};

/// Issues a read of `size` bytes into own L1.
/// Errors   KernelFault{OutOfBounds} if source or destination is outside of its memory;
///          {UndefinedBehavior} if the two addresses differ modulo the alignment, or `size` exceeds
///          the limit of `style`.
void issue_read(KernelThread& thread, std::uint32_t noc, std::uint64_t source,
                std::uint32_t destination, std::uint32_t size, const TransferStyle& style,
                const CallSite& site);
/// Issues a write of `size` bytes from own L1.
/// Errors   as issue_read().
void issue_write(KernelThread& thread, std::uint32_t noc, std::uint32_t source,
                 std::uint64_t destination, std::uint32_t size, const TransferStyle& style,
                 const CallSite& site);

/// Checks that no read of the thread still fills bytes [source, source + size) of its own L1, which
/// `call` sends.
/// Errors   KernelFault{UndefinedBehavior} naming the read.
void check_is_filled(const KernelThread& thread, std::uint32_t source, std::uint32_t size,
                     const char* call, CallSite site);

/// Let the reads (writes) on `noc` take effect: those with transaction id `id`, or all without an
/// id.
void complete_reads(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id);
void complete_writes(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id);
/// Copies the sources of the writes on `noc`, so that the kernel may reuse them. The writes stay in
/// flight.
void flush_writes(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id);

/// Lets the transfers of one kind take effect and returns the number of those that had not. They stay
/// listed: the kernel knows of them only after a barrier, and is held to that.
std::uint32_t deliver_listed(KernelThread& thread, TransferKind kind);

/// Lets every write of the thread take effect and returns the number of writes. The scheduler calls
/// it when no thread can run, and when the thread ends.
std::uint32_t complete_all_writes(KernelThread& thread);
/// Checks that a kernel that ends has completed its transfers.
/// Errors   KernelFault{UndefinedBehavior} if no multicast has followed a linked one, or a fabric
///          connection is open; under strict rules also if a read is in flight, the source of a
///          write is not flushed, or no barrier has followed an atomic.
void check_nothing_pending_at_end(KernelThread& thread);

}  // namespace tessera
