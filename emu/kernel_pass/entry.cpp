// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/entry.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include <utility>

namespace tessera::kernel_pass {
namespace {

bool is_kernel_main(const llvm::Function& function) {
    const std::string name = llvm::demangle(function.getName().str());
    return !function.isDeclaration() && function.arg_empty() &&
           function.getReturnType()->isVoidTy() &&
           (name == "kernel_main" || name == "kernel_main()" || name.ends_with("::kernel_main()"));
}

llvm::Function* find_kernel_main(llvm::Module& module) {
    llvm::SmallVector<llvm::Function*> found;
    for (llvm::Function& function : module) {
        if (is_kernel_main(function)) {
            found.push_back(&function);
        }
    }
    if (found.size() != 1) {
        module.getContext().emitError(llvm::Twine(found.size()) +
                                      " definitions of void kernel_main(), exactly one is needed");
        return nullptr;
    }
    return found.front();
}

// Returns the loader's list of initialisers, in the order of execution.
llvm::SmallVector<llvm::Function*> take_initialisers(llvm::Module& module) {
    llvm::GlobalVariable* list = module.getNamedGlobal("llvm.global_ctors");
    if (list == nullptr) {
        return {};
    }
    llvm::SmallVector<std::pair<std::uint64_t, llvm::Function*>> ordered;
    for (const llvm::Use& item : list->getInitializer()->operands()) {
        const auto* row = llvm::cast<llvm::ConstantStruct>(item.get());
        const auto* priority = llvm::cast<llvm::ConstantInt>(row->getOperand(0));
        auto* function = llvm::dyn_cast<llvm::Function>(row->getOperand(1)->stripPointerCasts());
        if (function != nullptr) {
            ordered.emplace_back(priority->getZExtValue(), function);
        }
    }
    list->eraseFromParent();
    llvm::stable_sort(ordered, llvm::less_first());
    llvm::SmallVector<llvm::Function*> functions;
    for (const auto& [priority, function] : ordered) {
        functions.push_back(function);
    }
    return functions;
}

// Code that is inlined into a function without a source location loses its own location, which
// finds the line of a fault.
llvm::DebugLoc give_place(llvm::Function& entry, const llvm::DISubprogram* kernel_main) {
    if (kernel_main == nullptr) {
        return {};
    }
    llvm::DIBuilder builder(*entry.getParent(), /*AllowUnresolved=*/false, kernel_main->getUnit());
    auto* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    llvm::DISubprogram* place =
        builder.createFunction(kernel_main->getFile(), entry.getName(), "", kernel_main->getFile(),
                               kernel_main->getLine(), type, kernel_main->getLine(),
                               llvm::DINode::FlagArtificial, llvm::DISubprogram::SPFlagDefinition);
    entry.setSubprogram(place);
    builder.finalize();
    return llvm::DILocation::get(entry.getContext(), kernel_main->getLine(), 0, place);
}

void forget_used_lists(llvm::Module& module) {
    for (const char* name : {"llvm.used", "llvm.compiler.used"}) {
        if (llvm::GlobalVariable* list = module.getNamedGlobal(name)) {
            list->eraseFromParent();
        }
    }
}

}  // namespace

llvm::Function* make_entry(llvm::Module& module) {
    llvm::Function* kernel_main = find_kernel_main(module);
    if (kernel_main == nullptr) {
        return nullptr;
    }
    forget_used_lists(module);
    auto* entry = llvm::Function::Create(
        kernel_main->getFunctionType(), llvm::GlobalValue::InternalLinkage, "kernel_entry", module);
    entry->setAttributes(kernel_main->getAttributes());
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", entry));
    builder.SetCurrentDebugLocation(give_place(*entry, kernel_main->getSubprogram()));
    for (llvm::Function* initialiser : take_initialisers(module)) {
        builder.CreateCall(initialiser);
    }
    builder.CreateCall(kernel_main);
    builder.CreateRetVoid();
    return entry;
}

void export_kernel(llvm::Module& module, const std::string& symbol, llvm::Function& entry,
                   llvm::Constant* image, std::uint64_t image_size) {
    for (llvm::GlobalValue& value : module.global_values()) {
        if (!value.isDeclaration() && !value.hasAvailableExternallyLinkage()) {
            value.setLinkage(llvm::GlobalValue::InternalLinkage);
            value.setVisibility(llvm::GlobalValue::DefaultVisibility);
            value.setDSOLocal(true);
            if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) {
                object->setComdat(nullptr);
            }
        }
    }
    auto* size = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), image_size);
    auto* kernel = llvm::ConstantStruct::getAnon({&entry, image, size});
    module.getOrInsertGlobal(symbol, kernel->getType());
    llvm::GlobalVariable* descriptor = module.getNamedGlobal(symbol);
    descriptor->setConstant(true);
    descriptor->setInitializer(kernel);
}

}  // namespace tessera::kernel_pass
