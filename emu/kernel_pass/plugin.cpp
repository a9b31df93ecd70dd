// SPDX-License-Identifier: Apache-2.0
// The address step of kernels as a plugin of LLVM 14 to 19. It makes source for a 32-bit RISC-V
// core with its own memory run on the host. Loaded with
//   clang++ -fpass-plugin=tessera_kernel_pass.so -Xclang -load -Xclang tessera_kernel_pass.so
//           -mllvm -tessera-kernel-symbol=NAME
// The plugin is named twice. -fpass-plugin adds the pass, but only after clang has read -mllvm;
// -load defines the option before that. The step runs before optimisation, so that its code is
// folded and hoisted like the kernel's own. The order of its parts matters: later parts must see
// the stores that the entry adds. Instructions are counted after simplification
// (instruction_count.hpp), iterations of loops after all optimisation (loop_rounds.hpp).
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <string>
#include <utility>

#include "emu/kernel_pass/entry.hpp"
#include "emu/kernel_pass/external_calls.hpp"
#include "emu/kernel_pass/instruction_count.hpp"
#include "emu/kernel_pass/integer_division.hpp"
#include "emu/kernel_pass/kernel_globals.hpp"
#include "emu/kernel_pass/loop_rounds.hpp"
#include "emu/kernel_pass/risc_assembly.hpp"
#include "emu/kernel_pass/window_addresses.hpp"

namespace tessera::kernel_pass {
namespace {

// NOLINTNEXTLINE(cert-err58-cpp): LLVM's options are registered by their constructors.
const llvm::cl::opt<std::string> kernel_symbol("tessera-kernel-symbol",
                                               llvm::cl::desc("name of the kernel's descriptor"),
                                               llvm::cl::init("tessera_kernel"));

class AddressStep : public llvm::PassInfoMixin<AddressStep> {
public:
    static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        llvm::Function* entry = make_entry(module);
        if (entry == nullptr) {
            return llvm::PreservedAnalyses::none();
        }
        replace_risc_assembly(module);
        confine_external_calls(module);
        guard_integer_division(module);
        take_thread_local_addresses(module);
        const KernelGlobals globals = collect_kernel_globals(module, *entry);
        add_window_base_to_addresses(module, globals);
        llvm::Constant* image = erase_kernel_globals(module, globals);
        export_kernel(module, kernel_symbol, *entry, image, globals.size);
        define_stack_check_failure(module);
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired() { return true; }
};

}  // namespace
}  // namespace tessera::kernel_pass

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "tessera-kernel", "1", [](llvm::PassBuilder& builder) {
                builder.registerPipelineStartEPCallback(
                    [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                        passes.addPass(tessera::kernel_pass::AddressStep());
                    });
                builder.registerVectorizerStartEPCallback(
                    [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
                        passes.addPass(tessera::kernel_pass::InstructionCounting());
                    });
                builder.registerOptimizerLastEPCallback(
                    [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                        llvm::FunctionPassManager steps;
                        steps.addPass(llvm::LoopSimplifyPass());
                        steps.addPass(tessera::kernel_pass::LoopRounds());
                        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(steps)));
                    });
            }};
}
