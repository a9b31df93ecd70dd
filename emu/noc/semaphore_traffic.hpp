// SPDX-License-Identifier: Apache-2.0
// Writes of words and atomic additions, for semaphores and flags. Each takes effect immediately,
// after all earlier writes of its thread to the same core on the same NoC.
#pragma once

#include <cstdint>

#include "tessera/call_site.hpp"

namespace tessera {

class Core;
class KernelThread;

/// Adds to the 32-bit word at NoC address `address`, with wrap, and wakes the threads that wait on
/// it. `detail` has bits of TransferDetail for the trace event.
/// Errors   KernelFault{OutOfBounds} as resolve(); {UndefinedBehavior} if the word is not 4-byte
///          aligned or is in DRAM.
void increment_word(KernelThread& thread, std::uint32_t noc, std::uint64_t address,
                    std::uint32_t increment, std::uint8_t detail, const char* call, CallSite site);

/// Writes the bytes of `value` that `byte_enable` selects (bit i: byte i) to NoC address `address`,
/// in L1 or DRAM.
/// Errors   as increment_word(), but DRAM is allowed.
void write_word(KernelThread& thread, std::uint32_t noc, std::uint64_t address, std::uint32_t value,
                std::uint8_t byte_enable, std::uint8_t detail, const char* call, CallSite site);

/// Do the same for one receiver of a multicast, and record no event: the multicast has one event
/// for all receivers.
void increment_received(KernelThread& thread, std::uint32_t noc, Core& receiver,
                        std::uint32_t address, std::uint32_t increment, const char* call,
                        CallSite site);
void write_received(KernelThread& thread, std::uint32_t noc, Core& receiver, std::uint32_t address,
                    std::uint32_t value, const char* call, CallSite site);

/// Stores a word into own L1 and wakes the threads that wait on it.
void store_local_word(KernelThread& thread, std::uint32_t address, std::uint32_t value,
                      CallSite site);

/// Returns a word of own L1, read atomically because other cores may write it.
[[nodiscard]] std::uint32_t load_local_word(const KernelThread& thread, std::uint32_t address);

/// Adds to (stores into) a word of `core`'s L1 and wakes the threads that wait on it.
void add_to_word(Core& core, std::uint32_t address, std::uint32_t increment);
void store_word(Core& core, std::uint32_t address, std::uint32_t value);

}  // namespace tessera
