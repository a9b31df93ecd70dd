// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Instruction.h>

#include <cstdint>

namespace tessera::kernel_pass {

/// Numbers of RISC-V instructions, by what tessera::InstructionCounters tells apart.
struct Instructions {
    std::uint64_t plain = 0;
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t divisions = 0;

    Instructions& operator+=(const Instructions& other) {
        plain += other.plain;
        loads += other.loads;
        stores += other.stores;
        divisions += other.divisions;
        return *this;
    }
};

/// What a compiler for RV32IM makes of one instruction of LLVM: an estimate by class, no
/// compilation. Nothing for what the kernel API's inline functions do.
[[nodiscard]] Instructions class_of(const llvm::Instruction& instruction);

}  // namespace tessera::kernel_pass
