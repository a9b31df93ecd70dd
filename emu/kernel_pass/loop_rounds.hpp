// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

namespace tessera::kernel_pass {

/// True if it depends on others how often the loop goes round, as far as can be seen: it asks, or
/// loads from L1 until what it finds there ends it.
[[nodiscard]] bool may_wait(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

/// True of a call that asks others for something and gives way.
[[nodiscard]] bool polls(const llvm::Instruction& instruction);

/// Has loops call tessera_loop_rounds (include/tessera/loop_rounds.hpp) every so many rounds,
/// counted in a register from each entry of the loop on.
///
/// Left alone are loops with a trip count, which end, and those with another bound if they cannot
/// be polling: a reader's loop over its pages, the loops of tile maths and everything that
/// vectorises pay nothing. Left alone are loops, too, that call what gives way to others at each
/// round. Runs when all else is optimised: trip counts are known only then, and a call would be in
/// the way of what finds them. Precondition   loops are in LoopSimplify's form; one that cannot be
/// brought into it (by a
///                computed goto) is not counted.
class LoopRounds : public llvm::PassInfoMixin<LoopRounds> {
public:
    static llvm::PreservedAnalyses run(llvm::Function& function,
                                       llvm::FunctionAnalysisManager& analyses);
    static bool isRequired() { return true; }
};

}  // namespace tessera::kernel_pass
