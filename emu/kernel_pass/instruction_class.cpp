// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/instruction_class.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <string>

namespace tessera::kernel_pass {
namespace {

constexpr std::uint64_t kWordBytes = 4;

// Checks the file of the innermost scope: an inlined function keeps its header. The compiler added
// instructions without a source location.
bool is_kernels_own(const llvm::Instruction& instruction) {
    const llvm::DILocation* place = instruction.getDebugLoc().get();
    return place != nullptr && !place->getFilename().contains("tessera/kernel/");
}

std::uint64_t words_of(const llvm::Instruction& instruction, llvm::Type* type) {
    const auto bytes = instruction.getModule()->getDataLayout().getTypeStoreSize(type);
    return (static_cast<std::uint64_t>(bytes) + kWordBytes - 1) / kWordBytes;
}

// The stack and the kernel's variables are in the core's local RAM, which counts as registers. L1
// addresses originate from numbers. If the number is not visible, behind a parameter or a member,
// kernels declare L1 data volatile.
bool is_in_l1(const llvm::Value* pointer, bool is_volatile) {
    const llvm::Value* object = llvm::getUnderlyingObject(pointer);
    if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object)) {
        return false;
    }
    return is_volatile || llvm::isa<llvm::IntToPtrInst>(object);
}

Instructions of_load(const llvm::LoadInst& load) {
    const std::uint64_t words = words_of(load, load.getType());
    return is_in_l1(load.getPointerOperand(), load.isVolatile()) ? Instructions{0, words}
                                                                 : Instructions{words};
}

Instructions of_store(const llvm::StoreInst& store) {
    const std::uint64_t words = words_of(store, store.getValueOperand()->getType());
    return is_in_l1(store.getPointerOperand(), store.isVolatile()) ? Instructions{0, 0, words}
                                                                   : Instructions{words};
}

// Division by a constant: a shift, or a product and two shifts.
Instructions of_division(const llvm::Instruction& division) {
    const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
    if (divisor == nullptr) {
        return {0, 0, 0, 1};
    }
    constexpr std::uint64_t kByProduct = 4;
    return {divisor->getValue().isPowerOf2() ? 1 : kByProduct};
}

// A variable index is scaled and added.
Instructions of_address(const llvm::GetElementPtrInst& address) {
    return {address.hasAllConstantIndices() ? 0U : 2U};
}

Instructions of_copy(const llvm::MemIntrinsic& copy) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
    const std::uint64_t words = length == nullptr ? 1 : length->getZExtValue() / kWordBytes;
    return {0, llvm::isa<llvm::MemTransferInst>(copy) ? words : 0, words};
}

// Arguments are in L1.
bool reads_argument(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) {
        return false;
    }
    const std::string name = llvm::demangle(callee->getName().str());
    return name.rfind("tessera::kernel::runtime_arg(", 0) == 0 ||
           name.rfind("tessera::kernel::common_runtime_arg(", 0) == 0;
}

// API calls have their own prices.
Instructions of_call(const llvm::CallBase& call) {
    if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
        return of_copy(*copy);
    }
    const llvm::Function* callee = call.getCalledFunction();
    const bool is_priced = callee == nullptr || (callee->isDeclaration() && !callee->isIntrinsic());
    // Intrinsics without a result mark lifetimes and assumptions.
    const bool computes = !is_priced && !(callee->isIntrinsic() && call.getType()->isVoidTy());
    // A call costs two jumps; a computing intrinsic takes at least two instructions.
    return {computes ? 2U : 0U};
}

bool is_wide(const llvm::Instruction& instruction) {
    return instruction.getType()->isIntegerTy(64) || instruction.getType()->isPointerTy();
}

Instructions of_arithmetic(const llvm::Instruction& instruction) {
    if (is_wide(instruction)) {
        return {};
    }
    if (instruction.getOpcode() == llvm::Instruction::Mul) {
        return {0, 0, 0, 0, 1};
    }
    // RISC-V has no conditional move.
    return {instruction.getOpcode() == llvm::Instruction::Select ? 2U : 1U};
}

// Conversions are free: loads extend, and a 32-bit core never truncates. A comparison is part of
// its branch.
Instructions of_own(const llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
        case llvm::Instruction::Load:
            return of_load(llvm::cast<llvm::LoadInst>(instruction));
        case llvm::Instruction::Store:
            return of_store(llvm::cast<llvm::StoreInst>(instruction));
        case llvm::Instruction::UDiv:
        case llvm::Instruction::SDiv:
        case llvm::Instruction::URem:
        case llvm::Instruction::SRem:
            return of_division(instruction);
        case llvm::Instruction::GetElementPtr:
            return of_address(llvm::cast<llvm::GetElementPtrInst>(instruction));
        case llvm::Instruction::Br:
            return {llvm::cast<llvm::BranchInst>(instruction).isConditional() ? 1U : 0U};
        case llvm::Instruction::Switch:
            return {2};
        case llvm::Instruction::Select:
            return of_arithmetic(instruction);
        default:
            return instruction.isBinaryOp() ? of_arithmetic(instruction) : Instructions{};
    }
}

}  // namespace

bool leaves_kernel(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->isInlineAsm()) {
        return false;
    }
    const llvm::Function* callee = call->getCalledFunction();
    return callee == nullptr || (callee->isDeclaration() && !callee->isIntrinsic());
}

Instructions class_of(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && reads_argument(*call)) {
        return {0, 1};
    }
    if (!is_kernels_own(instruction)) {
        return {};
    }
    return call != nullptr ? of_call(*call) : of_own(instruction);
}

}  // namespace tessera::kernel_pass
