// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace tessera::kernel_pass {

/// Makes a kernel count the RISC-V instructions that it would execute on a device
/// (include/tessera/instruction_counters.hpp). Only the kernel's own instructions count. Prices of
/// API calls include their inline functions, and 64-bit arithmetic mostly computes host addresses.
///
/// Loops that wait for other threads are not counted, because their number of iterations depends on
/// the host. For the same reason, functions that such a loop may call as its condition are not
/// counted: functions that were not inlined and call nothing of the API except polls.
///
/// Runs after simplification, before loops are vectorised and unrolled for the host. Counts are
/// sums in registers, added to memory before each call that leaves the kernel. Counts of loops fold
/// into their trip counts.
class InstructionCounting : public llvm::PassInfoMixin<InstructionCounting> {
public:
    static llvm::PreservedAnalyses run(llvm::Function& function,
                                       llvm::FunctionAnalysisManager& analyses);
    static bool isRequired() { return true; }
};

}  // namespace tessera::kernel_pass
