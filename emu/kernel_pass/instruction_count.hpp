// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace tessera::kernel_pass {

/// Has a kernel count the RISC-V instructions that it would have executed
/// (include/tessera/instruction_counters.hpp), as far as they are its own: what the kernel API's
/// inline functions do is in the prices of their calls, and 64-bit arithmetic is mostly this
/// compiler's, of host addresses.
///
/// Not counted are loops that wait for others: how often they go round depends on the host. For the
/// same reason nothing is counted in a function that such a loop may call to ask whether it is
/// over: one that was not inlined and makes no call of the API but those that poll.
///
/// Runs when the code is simplified, before loops are vectorised and unrolled for the host. Counts
/// are sums in registers, added to memory before each call that leaves the kernel; those of loops
/// fold into their trip counts.
class InstructionCounting : public llvm::PassInfoMixin<InstructionCounting> {
public:
    static llvm::PreservedAnalyses run(llvm::Function& function,
                                       llvm::FunctionAnalysisManager& analyses);
    static bool isRequired() { return true; }
};

}  // namespace tessera::kernel_pass
