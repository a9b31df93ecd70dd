// SPDX-License-Identifier: Apache-2.0
// What the RISC-V instructions that a kernel would have executed between its calls of the API take
// to issue, counted by code that the compiler pass in emu/kernel_pass adds to it: shared by the
// pass, the machine and the model of time.
#pragma once

#include <cstdint>

namespace tessera {

// Waits are counted in cycles of a core with these, which the documentation gives for all chips;
// what a device model says (risc.load, risc.store) scales them.
// Source   tt-isa-documentation, TensixTile/BabyRISCV/README.md.
inline constexpr std::int64_t kLoadLatency = 8;  ///< of L1, to the instruction that uses the value
inline constexpr std::int64_t kStorePeriod = 5;  ///< of stores to L1 that follow each other

/// Counts up for as long as the kernel thread exists: readers take differences.
struct InstructionCounters {
    std::uint64_t slots_and_load_waits = 0;      ///< waits for loads above bit 32
    std::uint64_t store_waits_and_products = 0;  ///< products above bit 32
    std::uint64_t dividend_bits = 0;
};

/// Cycles by what they are spent on, where a chip decides how many.
struct InstructionCount {
    std::uint32_t slots = 0;        ///< instructions, and waits that all chips have alike
    std::uint32_t load_waits = 0;   ///< cycles until a load from L1 has come
    std::uint32_t store_waits = 0;  ///< cycles until L1 has taken a store
    /// Products that the next instruction does not wait for: some chips make it wait.
    std::uint32_t products = 0;
    /// Of divisions by what is no constant: their cycles go by it.
    std::uint32_t dividend_bits = 0;
    friend bool operator==(const InstructionCount&, const InstructionCount&) = default;
};

/// What was counted between two readings. Two classes share a word, so that a kernel makes fewer
/// additions before each call.
/// Precondition   less than 2^32 of each class between the readings.
[[nodiscard]] constexpr InstructionCount difference(const InstructionCounters& now,
                                                    const InstructionCounters& before) noexcept {
    constexpr unsigned kUpper = 32;
    const auto lower = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const std::uint64_t first = now.slots_and_load_waits - before.slots_and_load_waits;
    const std::uint64_t second = now.store_waits_and_products - before.store_waits_and_products;
    return {lower(first), lower(first >> kUpper), lower(second), lower(second >> kUpper),
            lower(now.dividend_bits - before.dividend_bits)};
}

}  // namespace tessera

extern "C" {
/// Those of the kernel thread that runs on this host thread.
[[gnu::tls_model("initial-exec")]] extern thread_local tessera::InstructionCounters*
    tessera_instruction_counters;
}
