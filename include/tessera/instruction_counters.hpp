// SPDX-License-Identifier: Apache-2.0
// The RISC-V instructions that a kernel would have executed between its calls of the API, counted
// by code that the compiler pass in emu/kernel_pass adds to it: shared by the pass and the machine.
#pragma once

#include <cstdint>

namespace tessera {

/// Counts up for as long as the kernel thread exists: readers take differences.
struct InstructionCounters {
    std::uint64_t plain_and_loads = 0;       ///< plain instructions, loads from L1 above bit 32
    std::uint64_t stores_and_divisions = 0;  ///< stores to L1, divisions above bit 32
};

/// Instructions by what they cost an in-order core.
struct InstructionCount {
    std::uint32_t plain = 0;      ///< issued at one a cycle
    std::uint32_t loads = 0;      ///< from L1
    std::uint32_t stores = 0;     ///< to L1
    std::uint32_t divisions = 0;  ///< by what is no constant
    friend bool operator==(const InstructionCount&, const InstructionCount&) = default;
};

/// What was executed between two readings. Two classes share a word, so that a kernel makes two
/// additions before each call and not four.
/// Precondition   less than 2^32 of each class between the readings.
[[nodiscard]] constexpr InstructionCount difference(const InstructionCounters& now,
                                                    const InstructionCounters& before) noexcept {
    constexpr unsigned kUpper = 32;
    const std::uint64_t first = now.plain_and_loads - before.plain_and_loads;
    const std::uint64_t second = now.stores_and_divisions - before.stores_and_divisions;
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first >> kUpper),
            static_cast<std::uint32_t>(second), static_cast<std::uint32_t>(second >> kUpper)};
}

}  // namespace tessera

extern "C" {
/// Those of the kernel thread that runs on this host thread.
[[gnu::tls_model("initial-exec")]] extern thread_local tessera::InstructionCounters*
    tessera_instruction_counters;
}
