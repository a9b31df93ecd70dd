// SPDX-License-Identifier: Apache-2.0
// Semaphores and flags: words that change, and threads that wait for their values.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// How a word changes that comes from elsewhere.
enum class WordChange : std::uint8_t { Add, Write };

/// Own store (LocalWord) of `thread`.
Progress do_local_word(ReplayState& state, EngineThread& thread);
/// SemaphoreWait of `thread`.
Progress do_semaphore_wait(ReplayState& state, EngineThread& thread);
/// Changes a word of a core and wakes the threads whose wait that ends. Nothing happens if no
/// kernel runs there.
void change_word(ReplayState& state, std::uint32_t core, std::uint32_t address, WordChange change,
                 std::uint32_t value, const WaitCause& cause);

/// The word of a core, 0 if nothing was put there.
Word& word_at(ReplayState& state, std::uint32_t core, std::uint32_t address);

}  // namespace tessera::timing
