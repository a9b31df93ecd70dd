// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Instruction.h>

#include <cstdint>

namespace tessera::kernel_pass {

/// Numbers of RISC-V instructions, by what they do to those behind them (risc_pipeline.hpp).
struct Instructions {
    std::uint64_t plain = 0;
    std::uint64_t loads = 0;      ///< from L1
    std::uint64_t stores = 0;     ///< to L1
    std::uint64_t divisions = 0;  ///< by what is no constant
    std::uint64_t products = 0;
    friend bool operator==(const Instructions&, const Instructions&) = default;
};

/// What a compiler for RV32IM makes of one instruction of LLVM: an estimate by class, no
/// compilation. Nothing for what the kernel API's inline functions do.
[[nodiscard]] Instructions class_of(const llvm::Instruction& instruction);

/// Whether it is a call of what lies outside of the kernel.
[[nodiscard]] bool leaves_kernel(const llvm::Instruction& instruction);

}  // namespace tessera::kernel_pass
