// SPDX-License-Identifier: Apache-2.0
// Issue cycles of the RISC-V instructions that a kernel would execute between its API calls. Code
// that the compiler pass in emu/kernel_pass adds to kernels counts them. The pass, the machine and
// the timing model share these definitions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

// Pipeline of a data-movement RISC, with which the compiler pass counts waits
// (emu/kernel_pass/risc_pipeline.hpp). These numbers are not in configs/arch:
//   - The pass runs once, when a kernel is compiled. A trace of that kernel is then timed on any
//     device model, so the pass cannot read a device file.
//   - A replay cannot recompute the waits. They depend on the order of a kernel's instructions,
//     which a trace does not hold.
// The documentation gives the same numbers for Wormhole and Blackhole. A replay scales the counted
// waits by `risc.load` and `risc.store`; `risc.product` and `risc.dividend_bit` price the rest.
// Source   tt-isa-documentation, TensixTile/BabyRISCV/README.md (latencies, rates) and
//          MemoryOrdering.md (queues).

/// Cycles from a load from L1 to the instruction that uses the value.
inline constexpr std::int64_t kLoadLatency = 8;
/// Loads in flight. A further load waits.
inline constexpr std::size_t kLoadsInFlight = 4;
/// Cycles of L1 for each of several consecutive stores.
inline constexpr std::int64_t kStorePeriod = 5;
/// Stores in the queue to L1. A further store waits.
inline constexpr std::size_t kStoreQueue = 4;
/// Cycles from a multiplication to the instruction that uses the product.
inline constexpr std::int64_t kProductLatency = 2;
/// Cycles that loads and stores in flight advance during a division by a value that is not
/// constant. Assumed: the documentation gives 6 to 33, by the dividend, which is known in a run
/// only. `risc.dividend_bit` prices the division itself.
inline constexpr std::int64_t kDivision = 14;

/// Running counts of a kernel thread. Readers take differences.
struct InstructionCounters {
    std::uint64_t slots_and_load_waits = 0;      ///< waits for loads above bit 32
    std::uint64_t store_waits_and_products = 0;  ///< products above bit 32
    std::uint64_t dividend_bits = 0;
};

/// Issue cycles by kind. A device model scales each kind.
struct InstructionCount {
    std::uint32_t slots = 0;        ///< instructions, and waits that are the same on all chips
    std::uint32_t load_waits = 0;   ///< cycles of waiting for loads from L1
    std::uint32_t store_waits = 0;  ///< cycles of waiting until L1 takes a store
    /// Multiplications whose result the next instruction does not use. Some chips wait for them.
    std::uint32_t products = 0;
    /// Bits of dividends, of divisions by a value that is not constant; their cycles depend on it.
    std::uint32_t dividend_bits = 0;
    friend bool operator==(const InstructionCount&, const InstructionCount&) = default;
};

/// Returns the counts between two readings. Two classes share a word, so that a kernel makes fewer
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
/// Counters of the kernel thread that this host thread runs.
[[gnu::tls_model("initial-exec")]] extern thread_local tessera::InstructionCounters*
    tessera_instruction_counters;
}
