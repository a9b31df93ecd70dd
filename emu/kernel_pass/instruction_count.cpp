// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/instruction_count.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <array>
#include <cstdint>

#include "emu/kernel_pass/instruction_class.hpp"
#include "emu/kernel_pass/loop_rounds.hpp"

namespace tessera::kernel_pass {
namespace {

bool leaves_kernel(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->isInlineAsm()) {
        return false;
    }
    const llvm::Function* callee = call->getCalledFunction();
    return callee == nullptr || (callee->isDeclaration() && !callee->isIntrinsic());
}

bool may_be_asked_by_a_waiting_loop(llvm::Function& function) {
    return function.hasLocalLinkage() &&
           llvm::none_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
               return leaves_kernel(instruction) && !polls(instruction);
           });
}

bool is_in_waiting_loop(const llvm::BasicBlock& block, const llvm::LoopInfo& loops,
                        llvm::ScalarEvolution& evolution) {
    for (const llvm::Loop* loop = loops.getLoopFor(&block); loop != nullptr;
         loop = loop->getParentLoop()) {
        if (may_wait(*loop, evolution)) {
            return true;
        }
    }
    return false;
}

/// The sums of one function, as variables that mem2reg makes registers of.
class Counters {
public:
    explicit Counters(llvm::Function& function) {
        llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
        for (llvm::AllocaInst*& sum : sums_) {
            sum = builder.CreateAlloca(builder.getInt64Ty());
        }
        for (llvm::AllocaInst* sum : sums_) {
            builder.CreateStore(builder.getInt64(0), sum);
        }
    }

    void add(const Instructions& instructions, llvm::Instruction& place) {
        constexpr unsigned kUpper = 32;
        add(sums_[0], instructions.plain | instructions.loads << kUpper, place);
        add(sums_[1], instructions.stores | instructions.divisions << kUpper, place);
    }
    /// Adds the sums to the thread's counters and begins anew.
    void flush(llvm::Instruction& place) {
        llvm::IRBuilder<> builder(&place);
        llvm::Type* word = builder.getInt64Ty();
        llvm::Type* words = llvm::PointerType::get(word, 0);
        llvm::Value* counters = builder.CreateLoad(words, thread_counters(*place.getModule()));
        for (unsigned i = 0; i < sums_.size(); ++i) {
            llvm::Value* counter = builder.CreateConstGEP1_32(word, counters, i);
            llvm::Value* sum = builder.CreateAdd(builder.CreateLoad(word, counter),
                                                 builder.CreateLoad(word, sums_[i]));
            builder.CreateStore(sum, counter);
            builder.CreateStore(builder.getInt64(0), sums_[i]);
        }
    }
    void promote(llvm::DominatorTree& dominators) { llvm::PromoteMemToReg(sums_, dominators); }

private:
    static void add(llvm::AllocaInst* sum, std::uint64_t count, llvm::Instruction& place) {
        if (count != 0) {
            llvm::IRBuilder<> builder(&place);
            llvm::Value* before = builder.CreateLoad(builder.getInt64Ty(), sum);
            builder.CreateStore(builder.CreateAdd(before, builder.getInt64(count)), sum);
        }
    }
    static llvm::Constant* thread_counters(llvm::Module& module) {
        constexpr const char* kName = "tessera_instruction_counters";
        if (llvm::GlobalVariable* there = module.getNamedGlobal(kName)) {
            return there;
        }
        auto* words = llvm::PointerType::get(llvm::Type::getInt64Ty(module.getContext()), 0);
        return new llvm::GlobalVariable(module, words, /*isConstant=*/false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
                                        llvm::GlobalValue::InitialExecTLSModel);
    }

    std::array<llvm::AllocaInst*, 2> sums_{};
};

// What a call costs is behind it: it is made when all in front of it is done.
void count_block(llvm::BasicBlock& block, Counters& counters) {
    Instructions sum;
    llvm::SmallVector<llvm::Instruction*> own;
    for (llvm::Instruction& instruction : block) {
        own.push_back(&instruction);
    }
    for (llvm::Instruction* instruction : own) {
        const bool leaves = leaves_kernel(*instruction);
        if (leaves || instruction->isTerminator()) {
            sum += instruction->isTerminator() ? class_of(*instruction) : Instructions{};
            counters.add(sum, *instruction);
            sum = {};
        }
        if (leaves || llvm::isa<llvm::ReturnInst>(instruction)) {
            counters.flush(*instruction);
        }
        if (!instruction->isTerminator()) {
            sum += class_of(*instruction);
        }
    }
}

}  // namespace

llvm::PreservedAnalyses InstructionCounting::run(llvm::Function& function,
                                                 llvm::FunctionAnalysisManager& analyses) {
    if (may_be_asked_by_a_waiting_loop(function)) {
        return llvm::PreservedAnalyses::all();
    }
    const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    llvm::SmallVector<llvm::BasicBlock*> counted;
    for (llvm::BasicBlock& block : function) {
        if (!is_in_waiting_loop(block, loops, evolution)) {
            counted.push_back(&block);
        }
    }
    Counters counters(function);
    for (llvm::BasicBlock* block : counted) {
        count_block(*block, counters);
    }
    counters.promote(analyses.getResult<llvm::DominatorTreeAnalysis>(function));
    llvm::PreservedAnalyses preserved;
    preserved.preserveSet<llvm::CFGAnalyses>();
    return preserved;
}

}  // namespace tessera::kernel_pass
