// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/constant_operands.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <utility>

namespace tessera::kernel_pass {
namespace {

llvm::Value* insert_part(llvm::IRBuilder<>& builder, llvm::Value* whole, llvm::Value* part,
                         unsigned index) {
    if (whole->getType()->isVectorTy()) {
        return builder.CreateInsertElement(whole, part, index);
    }
    return builder.CreateInsertValue(whole, part, index);
}

llvm::Value* expand_aggregate(llvm::Constant& constant, llvm::IRBuilder<>& builder,
                              ConstantRule& rule) {
    llvm::Value* whole = llvm::UndefValue::get(constant.getType());
    for (const llvm::Use& part : constant.operands()) {
        auto& operand = *llvm::cast<llvm::Constant>(part.get());
        whole = insert_part(builder, whole, expand_constant(operand, builder, rule),
                            part.getOperandNo());
    }
    return whole;
}

llvm::Value* expand_expression(llvm::ConstantExpr& expression, llvm::IRBuilder<>& builder,
                               ConstantRule& rule) {
    llvm::Instruction* instruction = expression.getAsInstruction();
    for (llvm::Use& part : instruction->operands()) {
        if (auto* operand = llvm::dyn_cast<llvm::Constant>(part.get())) {
            part.set(expand_constant(*operand, builder, rule));
        }
    }
    return builder.Insert(instruction);
}

// A phi's operand is computed at the end of its incoming block. A block that is listed twice must
// provide one value.
void replace_in_phi(llvm::PHINode& phi, ConstantRule& rule) {
    llvm::DenseMap<std::pair<llvm::BasicBlock*, llvm::Constant*>, llvm::Value*> expanded;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        auto* operand = llvm::dyn_cast<llvm::Constant>(phi.getIncomingValue(i));
        if (operand == nullptr || !rule.depends(*operand)) {
            continue;
        }
        llvm::Value*& value = expanded[{phi.getIncomingBlock(i), operand}];
        if (value == nullptr) {
            llvm::IRBuilder<> builder(phi.getIncomingBlock(i)->getTerminator());
            value = expand_constant(*operand, builder, rule);
        }
        phi.setIncomingValue(i, value);
    }
}

void replace_in(llvm::Instruction& instruction, ConstantRule& rule) {
    for (llvm::Use& use : instruction.operands()) {
        auto* operand = llvm::dyn_cast<llvm::Constant>(use.get());
        if (operand != nullptr && rule.depends(*operand)) {
            llvm::IRBuilder<> builder(&instruction);
            use.set(expand_constant(*operand, builder, rule));
        }
    }
}

}  // namespace

llvm::Value* expand_constant(llvm::Constant& constant, llvm::IRBuilder<>& builder,
                             ConstantRule& rule) {
    if (!rule.depends(constant)) {
        return &constant;
    }
    if (llvm::Value* value = rule.replace(constant, builder)) {
        return value;
    }
    if (auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant)) {
        return expand_expression(*expression, builder, rule);
    }
    return expand_aggregate(constant, builder, rule);
}

void replace_constant_operands(llvm::Function& function, ConstantRule& rule) {
    llvm::SmallVector<llvm::Instruction*> instructions;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        instructions.push_back(&instruction);
    }
    for (llvm::Instruction* instruction : instructions) {
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
            replace_in_phi(*phi, rule);
        } else {
            replace_in(*instruction, rule);
        }
    }
}

}  // namespace tessera::kernel_pass
