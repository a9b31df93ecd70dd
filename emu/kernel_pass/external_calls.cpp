// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/external_calls.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::kernel_pass {
namespace {

// Functions with effects on their arguments only. printf and its variants are for debugging.
constexpr std::array<std::string_view, 32> kLibraryFunctions{"memcpy",
                                                             "memmove",
                                                             "memset",
                                                             "memcmp",
                                                             "memchr",
                                                             "bcmp",
                                                             "strlen",
                                                             "strnlen",
                                                             "strcmp",
                                                             "strncmp",
                                                             "strcpy",
                                                             "strncpy",
                                                             "strcat",
                                                             "strchr",
                                                             "strrchr",
                                                             "strstr",
                                                             "abs",
                                                             "labs",
                                                             "llabs",
                                                             "printf",
                                                             "puts",
                                                             "putchar",
                                                             "snprintf",
                                                             "vsnprintf",
                                                             "lround",
                                                             "llround",
                                                             "lrint",
                                                             "llrint",
                                                             "sincos",
                                                             "sincosf",
                                                             "__errno_location",
                                                             "__gxx_personality_v0"};
// Names without and with the suffixes f and l.
constexpr std::array<std::string_view, 45> kMathFunctions{
    "sin",   "cos",   "tan",   "asin",  "acos",  "atan", "atan2",    "sinh",      "cosh",
    "tanh",  "asinh", "acosh", "atanh", "exp",   "exp2", "expm1",    "log",       "log2",
    "log10", "log1p", "pow",   "sqrt",  "cbrt",  "fabs", "erf",      "erfc",      "tgamma",
    "ceil",  "floor", "trunc", "round", "rint",  "fmod", "copysign", "ldexp",     "frexp",
    "fmax",  "fmin",  "fma",   "fdim",  "hypot", "modf", "scalbn",   "remainder", "nearbyint"};
// Functions that headers of containers call, and functions that throw their exceptions.
constexpr std::array<std::string_view, 4> kStandardFunctions{
    "std::__throw_", "std::_Rb_tree_", "std::__detail::", "std::_Hash_bytes("};
constexpr std::array<std::string_view, 11> kManglingsOfStandardLibrary{
    "_ZSt", "_ZNS", "_ZNKS", "_ZN9__gnu_cxx",  "_ZN10__cxxabiv1", "_Znw",
    "_Zna", "_Zdl", "_Zda",  "_ZNK9__gnu_cxx", "_ZNK10__cxxabiv1"};

/// A function of the host, and its replacement in the kernel.
constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kRedirected{{
    {"malloc", "tessera_kernel_malloc"},
    {"calloc", "tessera_kernel_calloc"},
    {"realloc", "tessera_kernel_realloc"},
    {"aligned_alloc", "tessera_kernel_aligned_alloc"},
    {"free", "tessera_kernel_free"},
    {"_Znwm", "tessera_kernel_malloc"},
    {"_Znam", "tessera_kernel_malloc"},
    {"_ZnwmRKSt9nothrow_t", "tessera_kernel_malloc"},
    {"_ZnamRKSt9nothrow_t", "tessera_kernel_malloc"},
    {"_ZnwmSt11align_val_t", "tessera_kernel_new_aligned"},
    {"_ZnamSt11align_val_t", "tessera_kernel_new_aligned"},
    {"_ZdlPv", "tessera_kernel_free"},
    {"_ZdaPv", "tessera_kernel_free"},
    {"_ZdlPvm", "tessera_kernel_free"},
    {"_ZdaPvm", "tessera_kernel_free"},
    {"_ZdlPvRKSt9nothrow_t", "tessera_kernel_free"},
    {"_ZdaPvRKSt9nothrow_t", "tessera_kernel_free"},
    {"_ZdlPvSt11align_val_t", "tessera_kernel_free"},
    {"_ZdaPvSt11align_val_t", "tessera_kernel_free"},
    {"_ZdlPvmSt11align_val_t", "tessera_kernel_free"},
    {"_ZdaPvmSt11align_val_t", "tessera_kernel_free"},
}};

template <std::size_t Count>
bool starts_with_one_of(std::string_view name, const std::array<std::string_view, Count>& starts) {
    return llvm::any_of(starts, [&](std::string_view start) { return name.starts_with(start); });
}

bool is_math(std::string_view name) {
    return llvm::is_contained(kMathFunctions, name) ||
           ((name.ends_with('f') || name.ends_with('l')) &&
            llvm::is_contained(kMathFunctions, name.substr(0, name.size() - 1)));
}

// A C++ function outside of the standard library is part of the kernel API, or the loader refuses
// it.
bool is_allowed(std::string_view name, const std::string& readable) {
    if (starts_with_one_of(name, kManglingsOfStandardLibrary)) {
        return starts_with_one_of(readable, kStandardFunctions);
    }
    return name.starts_with("_Z") || name.starts_with("tessera_") ||
           name.starts_with("__atomic_") || llvm::is_contained(kLibraryFunctions, name) ||
           is_math(name);
}

bool is_trap(const llvm::Function& function) {
    switch (function.getIntrinsicID()) {
        case llvm::Intrinsic::trap:
        case llvm::Intrinsic::debugtrap:
        case llvm::Intrinsic::ubsantrap:
        case llvm::Intrinsic::eh_sjlj_setjmp:
        case llvm::Intrinsic::eh_sjlj_longjmp:
        case llvm::Intrinsic::write_register:
            return true;
        default:
            return false;
    }
}

void call_refusal(llvm::IRBuilder<>& builder, const std::string& readable,
                  const llvm::DILocation* place) {
    auto* bytes = llvm::PointerType::get(builder.getInt8Ty(), 0);
    llvm::Module* module = builder.GetInsertBlock()->getModule();
    const llvm::FunctionCallee hook = module->getOrInsertFunction(
        "tessera_refuse_call", builder.getVoidTy(), bytes, bytes, builder.getInt32Ty());
    const std::string file = place == nullptr ? "" : place->getFilename().str();
    builder
        .CreateCall(hook,
                    {builder.CreateGlobalStringPtr(readable), builder.CreateGlobalStringPtr(file),
                     builder.getInt32(place == nullptr ? 0 : place->getLine())})
        ->setDoesNotReturn();
}

// Inserts the refusal before the call. The call is unreachable and is removed by simplification.
void refuse_calls(llvm::Function& function, const std::string& readable) {
    llvm::SmallVector<llvm::CallBase*> calls;
    for (llvm::User* user : function.users()) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        if (call != nullptr && call->getCalledOperand() == &function) {
            calls.push_back(call);
        }
    }
    for (llvm::CallBase* call : calls) {
        llvm::IRBuilder<> builder(call);
        call_refusal(builder, readable, call->getDebugLoc().get());
    }
}

// Handles calls through a pointer.
void replace_by_refusal(llvm::Function& function, const std::string& readable) {
    auto* refusal =
        llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                               "refused_call", function.getParent());
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function.getContext(), "", refusal));
    call_refusal(builder, readable, nullptr);
    builder.CreateUnreachable();
    function.replaceAllUsesWith(refusal);
}

void redirect(llvm::Function& function, std::string_view to) {
    llvm::FunctionCallee own =
        function.getParent()->getOrInsertFunction(to, function.getFunctionType());
    function.replaceAllUsesWith(own.getCallee());
}

void confine(llvm::Function& function) {
    const std::string name = function.getName().str();
    if (function.isIntrinsic()) {
        if (is_trap(function)) {
            refuse_calls(function, "the instruction of " + name);
        }
        return;
    }
    const auto* row =
        llvm::find_if(kRedirected, [&](const auto& candidate) { return candidate.first == name; });
    if (row != kRedirected.end()) {
        redirect(function, row->second);
        return;
    }
    const std::string readable = llvm::demangle(name);
    if (!is_allowed(name, readable)) {
        refuse_calls(function, readable);
        replace_by_refusal(function, readable);
    }
}

}  // namespace

void confine_external_calls(llvm::Module& module) {
    llvm::SmallVector<llvm::Function*> external;
    for (llvm::Function& function : module) {
        // Templates with compiled instances in the standard library, such as std::string, come with
        // their code: the kernel's own copy uses the kernel's heap.
        if (function.hasAvailableExternallyLinkage()) {
            function.setLinkage(llvm::GlobalValue::InternalLinkage);
        } else if (function.isDeclaration() && !function.use_empty()) {
            external.push_back(&function);
        }
    }
    for (llvm::Function* function : external) {
        confine(*function);
    }
}

// Uses a trap, because no exception can pass the damaged frame; the scheduler recognises the
// signal. The function is kept although nothing calls it yet: the code generator makes the calls.
void define_stack_check_failure(llvm::Module& module) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false);
    auto* failure = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                           "__stack_chk_fail", module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", failure));
    builder.CreateIntrinsic(llvm::Intrinsic::debugtrap, {}, {});
    builder.CreateUnreachable();
    failure->setDoesNotReturn();
    llvm::appendToCompilerUsed(module, {failure});
}

}  // namespace tessera::kernel_pass
