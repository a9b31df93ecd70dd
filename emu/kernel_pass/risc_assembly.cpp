// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/risc_assembly.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include <string_view>

#include "emu/kernel_pass/stack_address.hpp"

namespace tessera::kernel_pass {
namespace {

llvm::SmallVector<llvm::StringRef> statements_of(llvm::StringRef text) {
    llvm::SmallVector<llvm::StringRef> statements;
    while (!text.empty()) {
        const std::size_t end = text.find_first_of("\n;");
        const llvm::StringRef statement = text.take_front(end).trim();
        if (!statement.empty()) {
            statements.push_back(statement);
        }
        text = end == llvm::StringRef::npos ? llvm::StringRef() : text.drop_front(end + 1);
    }
    return statements;
}

bool has_no_effect_here(llvm::StringRef statement) {
    const llvm::StringRef mnemonic =
        statement.take_until([](char c) { return c == ' ' || c == '\t'; });
    return mnemonic == "nop" || mnemonic == "fence" || mnemonic == "fence.i";
}

bool reads_hart_id(std::string_view statement) {
    return statement.starts_with("csrr ") && statement.ends_with("mhartid");
}

void replace(llvm::CallBase& call, llvm::StringRef text) {
    const auto statements = statements_of(text);
    if (statements.empty()) {
        return;
    }
    if (statements.size() == 1 && reads_hart_id(statements.front()) &&
        call.getType()->isIntegerTy()) {
        llvm::Value* index = StackAddress(*call.getFunction()).processor();
        llvm::IRBuilder<> builder(&call);
        call.replaceAllUsesWith(builder.CreateZExtOrTrunc(index, call.getType()));
        call.eraseFromParent();
        return;
    }
    if (llvm::all_of(statements, has_no_effect_here) && call.getType()->isVoidTy()) {
        call.eraseFromParent();
        return;
    }
    call.getContext().emitError(
        &call, "inline assembly \"" + text +
                   "\" cannot run here; allowed: nop, fence, csrr of mhartid, the empty statement");
}

}  // namespace

void replace_risc_assembly(llvm::Module& module) {
    llvm::SmallVector<llvm::CallBase*> calls;
    for (llvm::Function& function : module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call != nullptr && call->isInlineAsm()) {
                calls.push_back(call);
            }
        }
    }
    for (llvm::CallBase* call : calls) {
        const auto* assembly = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
        replace(*call, assembly->getAsmString());
    }
}

}  // namespace tessera::kernel_pass
