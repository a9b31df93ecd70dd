// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/kernel_globals.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Alignment.h>

#include <string_view>

#include "tessera/window_layout.hpp"

namespace tessera::kernel_pass {
namespace {

bool is_defined_here(const llvm::GlobalVariable& variable) {
    return variable.hasInitializer() && !variable.hasAvailableExternallyLinkage() &&
           !std::string_view(variable.getName()).starts_with("llvm.");
}

void place(const llvm::GlobalVariable& variable, const llvm::DataLayout& layout,
           KernelGlobals& globals) {
    const llvm::Align alignment = layout.getPreferredAlign(&variable);
    const std::uint64_t offset = llvm::alignTo(globals.size, alignment);
    globals.offsets.insert({&variable, offset});
    globals.size = offset + layout.getTypeAllocSize(variable.getValueType());
}

// A constant may contain the address of a moved variable. Then the constant moves too, and other
// constants may contain its address: repeated until nothing moves.
void place_constants_that_depend_on_core(llvm::Module& module, KernelGlobals& globals) {
    bool moved = true;
    while (moved) {
        moved = false;
        for (llvm::GlobalVariable& variable : module.globals()) {
            if (is_defined_here(variable) && globals.offsets.count(&variable) == 0 &&
                depends_on_core(*variable.getInitializer(), globals)) {
                place(variable, module.getDataLayout(), globals);
                moved = true;
            }
        }
    }
}

// The entry stores values that an image cannot contain; later steps expand the stored constant.
void store_values_that_depend_on_core(llvm::Module& module, const KernelGlobals& globals,
                                      llvm::Function& entry) {
    llvm::IRBuilder<> builder(&*entry.getEntryBlock().getFirstInsertionPt());
    for (llvm::GlobalVariable& variable : module.globals()) {
        if (globals.offsets.count(&variable) != 0 &&
            depends_on_core(*variable.getInitializer(), globals)) {
            builder.CreateStore(variable.getInitializer(), &variable);
            variable.setInitializer(llvm::Constant::getNullValue(variable.getValueType()));
        }
    }
}

llvm::Constant* zeros(llvm::LLVMContext& context, std::uint64_t size) {
    return llvm::ConstantAggregateZero::get(
        llvm::ArrayType::get(llvm::Type::getInt8Ty(context), size));
}

llvm::Constant* image_of(llvm::Module& module, const KernelGlobals& globals) {
    llvm::SmallVector<llvm::Constant*> parts;
    std::uint64_t end = 0;
    for (const auto& [variable, offset] : globals.offsets) {
        parts.push_back(zeros(module.getContext(), offset - end));
        parts.push_back(const_cast<llvm::Constant*>(variable->getInitializer()));
        end = offset + module.getDataLayout().getTypeAllocSize(variable->getValueType());
    }
    return llvm::ConstantStruct::getAnon(parts, /*Packed=*/true);
}

}  // namespace

bool depends_on_core(const llvm::Constant& constant, const KernelGlobals& globals) {
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) {
        return globals.offsets.count(variable) != 0;
    }
    if (llvm::isa<llvm::GlobalValue>(constant)) {
        return false;
    }
    const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
    if (expression != nullptr && expression->getOpcode() == llvm::Instruction::IntToPtr) {
        return true;
    }
    return llvm::any_of(constant.operands(), [&](const llvm::Use& part) {
        const auto* operand = llvm::dyn_cast<llvm::Constant>(part.get());
        return operand != nullptr && depends_on_core(*operand, globals);
    });
}

#if LLVM_VERSION_MAJOR >= 15
// An intrinsic returns the address of a thread_local; its operand must be the variable itself.
void take_thread_local_addresses(llvm::Module& module) {
    llvm::SmallVector<llvm::IntrinsicInst*> addresses;
    for (llvm::Function& function : module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) {
                addresses.push_back(call);
            }
        }
    }
    for (llvm::IntrinsicInst* address : addresses) {
        const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(address->getArgOperand(0));
        if (variable != nullptr && is_defined_here(*variable)) {
            address->replaceAllUsesWith(address->getArgOperand(0));
            address->eraseFromParent();
        }
    }
}
#else
// The variable itself is its address.
void take_thread_local_addresses(llvm::Module& /*module*/) {
}
#endif

KernelGlobals collect_kernel_globals(llvm::Module& module, llvm::Function& entry) {
    KernelGlobals globals;
    for (llvm::GlobalVariable& variable : module.globals()) {
        if (is_defined_here(variable) && !variable.isConstant() && !variable.use_empty()) {
            place(variable, module.getDataLayout(), globals);
        }
    }
    place_constants_that_depend_on_core(module, globals);
    store_values_that_depend_on_core(module, globals, entry);
    if (globals.size > kProcessorSlotSize) {
        module.getContext().emitError("the kernel's globals take " + llvm::Twine(globals.size) +
                                      " bytes, at most " + llvm::Twine(kProcessorSlotSize) +
                                      " are there");
    }
    return globals;
}

llvm::Constant* erase_kernel_globals(llvm::Module& module, const KernelGlobals& globals) {
    auto* bytes = llvm::PointerType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
    if (globals.offsets.empty()) {
        return llvm::ConstantPointerNull::get(bytes);
    }
    llvm::Constant* values = image_of(module, globals);
    auto* image = new llvm::GlobalVariable(module, values->getType(), /*isConstant=*/true,
                                           llvm::GlobalValue::InternalLinkage, values,
                                           "kernel_globals_image");
    image->setAlignment(llvm::Align(64));
    for (const auto& [variable, offset] : globals.offsets) {
        auto* unused = const_cast<llvm::GlobalVariable*>(variable);
        unused->removeDeadConstantUsers();
        if (unused->use_empty()) {
            unused->eraseFromParent();
        } else {
            module.getContext().emitError("unsupported use of global " + variable->getName());
        }
    }
    return llvm::ConstantExpr::getBitCast(image, bytes);
}

}  // namespace tessera::kernel_pass
