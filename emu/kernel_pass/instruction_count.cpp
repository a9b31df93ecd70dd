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
#include "emu/kernel_pass/risc_pipeline.hpp"

namespace tessera::kernel_pass {
namespace {

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

/// Sums of one function, as variables that mem2reg turns into registers.
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

    void add(const IssueCycles& cycles, llvm::Instruction& place) {
        add(sums_[0], packed(cycles.slots, cycles.load_waits), place);
        add(sums_[1], packed(cycles.store_waits, cycles.products), place);
    }
    /// Adds the bits of the dividend.
    void add_division(llvm::Instruction& division) {
        llvm::IRBuilder<> builder(&division);
        add(sums_[2], counted_bits(builder, *division.getOperand(0)), division);
    }
    /// Adds the sums to the thread's counters and resets the sums.
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
    static std::uint64_t packed(std::int64_t lower, std::int64_t upper) {
        constexpr unsigned kUpper = 32;
        return static_cast<std::uint64_t>(lower) | static_cast<std::uint64_t>(upper) << kUpper;
    }
    static void add(llvm::AllocaInst* sum, std::uint64_t count, llvm::Instruction& place) {
        if (count != 0) {
            add(sum, llvm::ConstantInt::get(sum->getAllocatedType(), count), place);
        }
    }
    static void add(llvm::AllocaInst* sum, llvm::Value* count, llvm::Instruction& place) {
        llvm::IRBuilder<> builder(&place);
        llvm::Value* before = builder.CreateLoad(builder.getInt64Ty(), sum);
        builder.CreateStore(builder.CreateAdd(before, count), sum);
    }
    // A quotient takes at least 6 cycles, and 33 from 29 bits on (tt-isa-documentation;
    // InstructionCount::dividend_bits).
    static llvm::Value* counted_bits(llvm::IRBuilder<>& builder, llvm::Value& dividend) {
        constexpr unsigned kFewestBits = 5;
        constexpr unsigned kMostBits = 29;
        llvm::Type* type = dividend.getType();
        const auto number = [type](unsigned value) { return llvm::ConstantInt::get(type, value); };
        llvm::Value* zeros =
            builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, &dividend, builder.getFalse());
        llvm::Value* bits = builder.CreateSub(number(type->getScalarSizeInBits()), zeros);
        bits = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, bits, number(kFewestBits));
        bits = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bits, number(kMostBits));
        return builder.CreateZExtOrTrunc(bits, builder.getInt64Ty());
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

    std::array<llvm::AllocaInst*, 3> sums_{};
};

bool divides(const llvm::Instruction& instruction) {
    return !instruction.getType()->isVectorTy() && class_of(instruction).divisions != 0;
}

void count_block(llvm::BasicBlock& block, RiscPipeline pipeline, Counters& counters) {
    IssueCycles sum;
    llvm::SmallVector<llvm::Instruction*> own;
    for (llvm::Instruction& instruction : block) {
        own.push_back(&instruction);
    }
    for (llvm::Instruction* instruction : own) {
        sum += pipeline.issue(*instruction);
        if (divides(*instruction)) {
            counters.add_division(*instruction);
        }
        const bool leaves = leaves_kernel(*instruction);
        if (leaves || instruction->isTerminator()) {
            counters.add(sum, *instruction);
            sum = {};
        }
        if (leaves || llvm::isa<llvm::ReturnInst>(instruction)) {
            counters.flush(*instruction);
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
    const auto pipelines = pipelines_of(function);
    Counters counters(function);
    for (llvm::BasicBlock* block : counted) {
        count_block(*block, pipelines.lookup(block), counters);
    }
    counters.promote(analyses.getResult<llvm::DominatorTreeAnalysis>(function));
    llvm::PreservedAnalyses preserved;
    preserved.preserveSet<llvm::CFGAnalyses>();
    return preserved;
}

}  // namespace tessera::kernel_pass
