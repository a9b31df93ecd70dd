// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Instruction.h>

#include <cstdint>

namespace tessera::kernel_pass {

/// Numbers of RISC-V instructions by their effect on later instructions (risc_pipeline.hpp).
struct Instructions {
    std::uint64_t plain = 0;
    std::uint64_t loads = 0;      ///< from L1
    std::uint64_t stores = 0;     ///< to L1
    std::uint64_t divisions = 0;  ///< by a variable
    std::uint64_t products = 0;
    friend bool operator==(const Instructions&, const Instructions&) = default;
};

/// Returns the instructions that an RV32IM compiler makes of one LLVM instruction: an estimate by
/// class, no compilation. Returns none for inline functions of the kernel API.
[[nodiscard]] Instructions class_of(const llvm::Instruction& instruction);

/// Returns whether the instruction calls code outside of the kernel.
[[nodiscard]] bool leaves_kernel(const llvm::Instruction& instruction);

}  // namespace tessera::kernel_pass
