// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace tessera::kernel_pass {

/// Removes RISC-V inline assembly from a kernel: `nop` and `fence` are deleted, a read of `mhartid`
/// becomes the processor's index. Empty statements (compiler barriers) stay.
/// Errors   a compile error at the statement for any other instruction.
void replace_risc_assembly(llvm::Module& module);

}  // namespace tessera::kernel_pass
