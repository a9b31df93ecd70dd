// SPDX-License-Identifier: Apache-2.0
// Decides when transfers in flight take effect: late, at once or at random, and in the order that
// the chip promises between transfers of one core to one destination on one NoC.
// Source   tt-isa-documentation, NoC/Ordering.md.
#pragma once

#include <cstdint>

#include "emu/core/noc_port.hpp"

namespace tessera {

class Core;
class KernelThread;

/// Puts a new transfer in flight on `port`. Delivers it, and some transfers before it, if the
/// launch's delivery mode (NocDelivery) requires that.
void enter(KernelThread& thread, NocPort& port, Transfer&& transfer);

/// Does the same as enter() for a read of `size` bytes at `source` into own L1.
void enter_read(KernelThread& thread, NocPort& port, const std::byte* source,
                std::uint32_t destination, std::uint32_t size, const CallSite& site);

/// Delivers the writes in flight to `core`'s L1, which later transfers on this NoC may not
/// overtake.
void deliver_writes_to(NocPort& port, const Core* core);

/// Marks announced writes of the thread as awaited, because it waits on a semaphore. A sender that
/// multicasts a block and then a flag, both also to itself, and waits for the flag knows that its
/// own copy of the block has arrived.
void note_semaphore_wait(KernelThread& thread);

/// Delivers the writes in flight over mesh link `link`, numbered as Transfer::link.
void deliver_writes_over(NocPort& port, std::uint8_t link);

/// Delivers the writes that were issued before `read` to bytes that it reads.
void deliver_earlier_writes(NocPort& port, const Transfer& read);

/// Recomputes the port's counts of transfers in flight. `core` is the core of the port's thread.
void recount(NocPort& port, const Core& core);

}  // namespace tessera
