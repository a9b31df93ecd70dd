// SPDX-License-Identifier: Apache-2.0
// Names the threads that could end a blocked thread's wait, for the deadlock census.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "emu/core/kernel_thread.hpp"
#include "tessera/core_coord.hpp"

namespace tessera {

using Threads = std::vector<const KernelThread*>;

/// A word of an L1: device, core and address.
using Word = std::tuple<std::uint32_t, CoreCoord, std::uint32_t>;

[[nodiscard]] bool waits_for_cb(const KernelThread& thread);
[[nodiscard]] bool waits_for_word(const KernelThread& thread);
/// Returns the word that a thread waits for. Preconditions waits_for_word().
[[nodiscard]] Word word_of(const KernelThread& thread);

/// Returns the thread of the same core that has pushed (popped) the CB on which a thread waits;
/// null if none has. A program does not state the producer of a CB; only its calls show it.
[[nodiscard]] const KernelThread* partner_of(const KernelThread& thread);

/// Returns the threads that may push (pop) a CB that no thread has pushed (popped) yet: each other
/// thread of the core. They close a cycle for certain only if all of them wait at CBs. Returns none
/// if one of them has finished or waits for another core, because that one may be the partner.
[[nodiscard]] Threads possible_partners(const KernelThread& thread);

/// Returns the threads that have added to the words for which `blocked` wait, as recorded in the
/// traces. Returns none for a launch without a trace, and in a first round.
[[nodiscard]] std::map<Word, Threads> setters_of(std::span<KernelThread* const> blocked,
                                                 std::span<Core* const> cores);

}  // namespace tessera
