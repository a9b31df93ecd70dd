// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace tessera::kernel_pass {

/// Gives integer division and remainder the results of RISC-V where C++ defines none. A core with
/// all-zero arguments then computes nonsense but does not crash the emulator:
/// x / 0 = all ones, x % 0 = x, INT_MIN / -1 = INT_MIN, INT_MIN % -1 = 0.
/// Divisions by a constant that cannot fault are unchanged.
/// Source   RISC-V unprivileged ISA, "M" extension, table of division by zero and overflow.
void guard_integer_division(llvm::Module& module);

}  // namespace tessera::kernel_pass
