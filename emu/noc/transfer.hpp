// SPDX-License-Identifier: Apache-2.0
// Issues and completes asynchronous reads and writes: a transfer is issued, is in flight, and takes
// effect; only a barrier (a flush, for the source of a write) makes it safe.
#pragma once

#include <cstdint>
#include <optional>

#include "emu/core/noc_port.hpp"
#include "tessera/call_site.hpp"

namespace tessera {

class KernelThread;

/// Longest transfer the call may make: any, or one packet of the architecture.
enum class TransferLimit : std::uint8_t { None, OnePacket };

/// Options of a transfer besides its addresses.
struct TransferStyle {
    TransferLimit limit = TransferLimit::None;
    bool posted = false;      ///< writes: no acknowledgement
    bool with_state = false;  ///< completes a latched command
};

/// Issues a read of `size` bytes into own L1.
/// Errors   KernelFault{OutOfBounds} for either end; {UndefinedBehavior} if the two addresses
///          disagree modulo the alignment, or the packet limit is exceeded.
void issue_read(KernelThread& thread, std::uint32_t noc, std::uint64_t source,
                std::uint32_t destination, std::uint32_t size, const TransferStyle& style,
                const CallSite& site);
/// Issues a write of `size` bytes from own L1.
void issue_write(KernelThread& thread, std::uint32_t noc, std::uint32_t source,
                 std::uint64_t destination, std::uint32_t size, const TransferStyle& style,
                 const CallSite& site);

/// Checks that no read of the thread still fills [source, source + size) of its own L1, which
/// `call` is to send.
/// Errors   KernelFault{UndefinedBehavior} naming the read.
void check_is_filled(const KernelThread& thread, std::uint32_t source, std::uint32_t size,
                     const char* call, CallSite site);

/// Lets the reads (writes) on `noc` take effect, all or those with one transaction id.
void complete_reads(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id);
void complete_writes(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id);
/// Copies the sources of the writes on `noc`, so that they may be reused; arrival is not promised.
void flush_writes(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id);

/// Lets every write of the thread take effect; returns how many did. Used when nothing else can
/// run, and when the thread ends.
std::uint32_t complete_all_writes(KernelThread& thread);
/// Errors   KernelFault{UndefinedBehavior} if the kernel ends with reads in flight, with writes
///          whose source has not been flushed, with atomics that no barrier has followed, with a
///          linked multicast that no other has, or with a fabric connection open.
void check_nothing_pending_at_end(KernelThread& thread);

}  // namespace tessera
