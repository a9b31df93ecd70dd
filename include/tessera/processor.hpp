// SPDX-License-Identifier: Apache-2.0
// The kernel threads of one core.
#pragma once

#include <cstdint>

namespace tessera {

/// A core's processors, in the order in which their events and errors are sorted.
/// Riscv0 is BRISC (writer, NoC 1 by default), Riscv1 is NCRISC (reader, NoC 0).
/// Compute stands for the three TRISCs (unpack, math, pack), which one fiber runs.
enum class Processor : std::uint8_t { Riscv0 = 0, Riscv1 = 1, Compute = 2 };

inline constexpr std::uint32_t kNumProcessors = 3;

/// Returns the role of the processor in ops: "writer", "reader" or "compute".
[[nodiscard]] constexpr const char* role_of(Processor processor) noexcept {
    switch (processor) {
        case Processor::Riscv0:
            return "writer";
        case Processor::Riscv1:
            return "reader";
        case Processor::Compute:
            return "compute";
    }
    return "?";
}

}  // namespace tessera
