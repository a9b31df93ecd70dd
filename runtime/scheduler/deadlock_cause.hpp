// SPDX-License-Identifier: Apache-2.0
// Finds why nothing can run: a value passed, a partner that has finished, a cycle of waiters.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tessera {

class Core;
class KernelThread;

struct DeadlockCause {
    const KernelThread* thread = nullptr;  ///< blocked thread that shows the cause
    std::string text;
};

/// Follows the wait of each blocked thread and returns the most specific cause.
/// Preconditions  `blocked` is not empty and in order of device, core and processor; `cores` are
///                all of the launch.
[[nodiscard]] DeadlockCause find_cause(std::span<KernelThread* const> blocked,
                                       std::span<Core* const> cores);

/// Returns the name of a 32-bit word of L1: "semaphore ready" by the program's name for it,
/// "semaphore 3" by its id, or "the word at L1 0x40000".
[[nodiscard]] std::string name_of_word(const Core& core, std::uint32_t address);

}  // namespace tessera
