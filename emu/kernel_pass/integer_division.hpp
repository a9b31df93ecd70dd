// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace tessera::kernel_pass {

/// Gives integer division and remainder the results RISC-V defines where C++ has none, so that a
/// core with all-zero arguments computes nonsense instead of taking the emulator down:
/// x / 0 = all ones, x % 0 = x, INT_MIN / -1 = INT_MIN, INT_MIN % -1 = 0.
/// Divisions by a constant that cannot fault are left alone.
/// Source   RISC-V unprivileged ISA, "M" extension, table of division by zero and overflow.
void guard_integer_division(llvm::Module& module);

}  // namespace tessera::kernel_pass
