// SPDX-License-Identifier: Apache-2.0
// Multicast: writes from one source to every worker core of a rectangle.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/call_site.hpp"

namespace tessera {

class Core;
class KernelThread;

/// Whether the sender receives its own multicast if the rectangle holds it.
enum class Loopback : std::uint8_t { ExcludeSender, IncludeSender };

/// Options of a multicast besides its addresses.
struct MulticastStyle {
    Loopback loopback = Loopback::ExcludeSender;
    bool linked = false;  ///< keeps its path for the next multicast
    bool posted = false;  ///< no acknowledgement
};

/// Returns the receivers of a multicast address, row by row.
/// Errors   KernelFault{Unsupported} if the corners are in the other NoC's order (a rectangle that
///          wraps around the torus); {UndefinedBehavior} if `num_dests` is 0 or is not the number
///          of receivers, or an L1 address is not aligned.
[[nodiscard]] std::vector<Core*> receivers_of(KernelThread& thread, std::uint32_t noc,
                                              std::uint64_t address, std::uint32_t num_dests,
                                              Loopback loopback, const char* call, CallSite site);

/// Returns the number of receivers of a multicast address, for commands that do not state it.
/// Errors   as receivers_of().
[[nodiscard]] std::uint32_t count_receivers(KernelThread& thread, std::uint32_t noc,
                                            std::uint64_t address, Loopback loopback,
                                            const char* call, CallSite site);

/// Issues a write of `size` bytes of own L1 to each receiver.
/// Errors   as receivers_of() and issue_write().
void multicast_write(KernelThread& thread, std::uint32_t noc, std::uint32_t source,
                     std::uint64_t destination, std::uint32_t size, std::uint32_t num_dests,
                     MulticastStyle style, const char* call, CallSite site);
/// Writes the word at `source` to each receiver, after all data that the thread sent there before.
void multicast_word(KernelThread& thread, std::uint32_t noc, std::uint32_t source,
                    std::uint64_t destination, std::uint32_t num_dests, MulticastStyle style,
                    const char* call, CallSite site);
/// Adds to a word of each receiver, after all data that the thread sent there before.
void multicast_increment(KernelThread& thread, std::uint32_t noc, std::uint64_t destination,
                         std::uint32_t increment, std::uint32_t num_dests, const char* call,
                         CallSite site);

}  // namespace tessera
