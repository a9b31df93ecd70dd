// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

namespace tessera::kernel_pass {

/// Returns whether the loop's trip count may depend on other threads: it calls the API, or loads
/// from L1 until the loaded value ends it.
[[nodiscard]] bool may_wait(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

/// Returns whether the instruction is a call that polls another thread's state and yields.
[[nodiscard]] bool polls(const llvm::Instruction& instruction);

/// Adds calls of tessera_loop_rounds (include/tessera/loop_rounds.hpp) to loops, one every
/// kLoopRoundsPerCall iterations. A register counts iterations from each entry of the loop.
///
/// Skips these loops, so that they cost nothing:
///   - loops with a trip count of 32 bits, which end by themselves, and loops with another such
///     bound that cannot poll: a reader's loop over its pages, loops of tile maths, everything that vectorises;
///   - loops that call a function which yields in each iteration.
/// Runs after all optimisation: only then are trip counts known, and an added call would hide them.
///
/// Precondition   loops are in LoopSimplify's form; a loop that cannot have this form (because of a
///                computed goto) is not counted.
class LoopRounds : public llvm::PassInfoMixin<LoopRounds> {
public:
    static llvm::PreservedAnalyses run(llvm::Function& function,
                                       llvm::FunctionAnalysisManager& analyses);
    static bool isRequired() { return true; }
};

}  // namespace tessera::kernel_pass
