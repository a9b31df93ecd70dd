// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/integer_division.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace tessera::kernel_pass {
namespace {

bool is_signed(const llvm::BinaryOperator& division) {
    return division.getOpcode() == llvm::Instruction::SDiv ||
           division.getOpcode() == llvm::Instruction::SRem;
}

bool is_quotient(const llvm::BinaryOperator& division) {
    return division.getOpcode() == llvm::Instruction::SDiv ||
           division.getOpcode() == llvm::Instruction::UDiv;
}

bool may_fault(const llvm::Instruction& instruction) {
    if (!instruction.isIntDivRem()) {
        return false;
    }
    const llvm::APInt* divisor = nullptr;
    const bool is_constant =
        llvm::PatternMatch::match(instruction.getOperand(1), llvm::PatternMatch::m_APInt(divisor));
    return !is_constant || divisor->isZero() || divisor->isAllOnes();
}

// Divides by 1 if the division would fault. This also gives INT_MIN / −1 and INT_MIN % −1 their
// results; only the two of division by zero remain to be selected. The guard has no source
// location, because the emulated core does not have it and must not count it
// (instruction_class.hpp).
void guard(llvm::BinaryOperator& division) {
    llvm::IRBuilder<> builder(&division);
    builder.SetCurrentDebugLocation(llvm::DebugLoc());
    llvm::Value* dividend = division.getOperand(0);
    llvm::Value* divisor = division.getOperand(1);
    auto* type = division.getType();
    llvm::Value* is_zero = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
    llvm::Value* faults = is_zero;
    if (is_signed(division)) {
        const auto lowest = llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
        llvm::Value* overflows =
            builder.CreateAnd(builder.CreateICmpEQ(dividend, llvm::ConstantInt::get(type, lowest)),
                              builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
        faults = builder.CreateOr(is_zero, overflows);
    }
    auto* one = llvm::ConstantInt::get(type, 1);
    llvm::Value* safe_divisor = builder.CreateSelect(faults, one, divisor);
    auto* safe =
        llvm::BinaryOperator::Create(division.getOpcode(), dividend, safe_divisor, "", &division);
    safe->setDebugLoc(division.getDebugLoc());
    llvm::Value* at_zero = is_quotient(division) ? llvm::Constant::getAllOnesValue(type) : dividend;
    division.replaceAllUsesWith(builder.CreateSelect(is_zero, at_zero, safe));
    division.eraseFromParent();
}

}  // namespace

void guard_integer_division(llvm::Module& module) {
    llvm::SmallVector<llvm::BinaryOperator*> divisions;
    for (llvm::Function& function : module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            if (may_fault(instruction)) {
                divisions.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
            }
        }
    }
    for (llvm::BinaryOperator* division : divisions) {
        guard(*division);
    }
}

}  // namespace tessera::kernel_pass
