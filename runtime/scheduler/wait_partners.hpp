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
/// The word a thread waits for.  Preconditions  waits_for_word().
[[nodiscard]] Word word_of(const KernelThread& thread);

/// The thread of the same core that pushes (pops) the CB a thread waits on, if one ever did; else
/// null. A program does not say who produces for a CB; who has done so shows.
[[nodiscard]] const KernelThread* partner_of(const KernelThread& thread);

/// Who may push (pop) a CB that nobody has pushed (popped) yet: other threads of the core. They are
/// sure to close a cycle only if all of them wait at CBs; none is returned if one has finished or
/// waits for another core, since that one may be the partner.
[[nodiscard]] Threads possible_partners(const KernelThread& thread);

/// Who has added to the words that `blocked` wait for, by what the traces hold: for an untraced
/// launch and in a first round nobody.
[[nodiscard]] std::map<Word, Threads> setters_of(std::span<KernelThread* const> blocked,
                                                 std::span<Core* const> cores);

}  // namespace tessera
