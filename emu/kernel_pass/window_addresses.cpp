// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/window_addresses.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/KnownBits.h>

#include "emu/kernel_pass/constant_operands.hpp"
#include "emu/kernel_pass/stack_address.hpp"
#include "tessera/window_layout.hpp"

namespace tessera::kernel_pass {
namespace {

// A signed 32-bit address (int addr = …) is sign-extended; the kernel means the low half.
llvm::Value* unsigned_address(llvm::Value* address, llvm::IRBuilder<>& builder) {
    if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(address)) {
        address = extension->getOperand(0);
    }
    return builder.CreateZExtOrTrunc(address, builder.getInt64Ty());
}

llvm::Value* host_address(llvm::Value* number, llvm::IRBuilder<>& builder, StackAddress& stack) {
    llvm::Value* address = unsigned_address(number, builder);
    llvm::Value* in_window = builder.CreateOr(address, stack.window_base());
    const llvm::DataLayout& layout = builder.GetInsertBlock()->getModule()->getDataLayout();
    if (llvm::computeKnownBits(address, layout).countMinLeadingZeros() >= 32) {
        return in_window;
    }
    llvm::Value* is_short = builder.CreateICmpULT(address, builder.getInt64(kWindowSize));
    return builder.CreateSelect(is_short, in_window, address);
}

void add_to_casts(llvm::Function& function, StackAddress& stack) {
    llvm::SmallVector<llvm::IntToPtrInst*> casts;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction)) {
            casts.push_back(cast);
        }
    }
    for (llvm::IntToPtrInst* cast : casts) {
        llvm::IRBuilder<> builder(cast);
        cast->setOperand(0, host_address(cast->getOperand(0), builder, stack));
    }
}

// Rule of add_to_constants: a number cast to a pointer, or a variable of the kernel.
class CoreConstants : public ConstantRule {
public:
    CoreConstants(const KernelGlobals& globals, StackAddress& stack)
        : globals_(globals), stack_(stack) {}

    bool depends(const llvm::Constant& constant) const override {
        return depends_on_core(constant, globals_);
    }

    llvm::Value* replace(llvm::Constant& constant, llvm::IRBuilder<>& builder) override {
        if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) {
            return instance_of(*variable, builder);
        }
        auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
        if (cast == nullptr || cast->getOpcode() != llvm::Instruction::IntToPtr) {
            return nullptr;
        }
        llvm::Value* number = expand_constant(*cast->getOperand(0), builder, *this);
        return builder.CreateIntToPtr(host_address(number, builder, stack_), cast->getType());
    }

private:
    llvm::Value* instance_of(const llvm::GlobalVariable& variable, llvm::IRBuilder<>& builder) {
        const std::uint64_t offset = globals_.offsets.lookup(&variable);
        llvm::Value* address = builder.CreateAdd(stack_.kernel_globals(), builder.getInt64(offset));
        return builder.CreateIntToPtr(address, variable.getType());
    }

    const KernelGlobals& globals_;
    StackAddress& stack_;
};

}  // namespace

// Casts first: casts made for variables already have their base.
void add_window_base_to_addresses(llvm::Module& module, const KernelGlobals& globals) {
    for (llvm::Function& function : module) {
        if (!function.isDeclaration()) {
            StackAddress stack(function);
            add_to_casts(function, stack);
            CoreConstants rule(globals, stack);
            replace_constant_operands(function, rule);
        }
    }
}

}  // namespace tessera::kernel_pass
