// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/jit.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/kernels/child_process.hpp"
#include "runtime/kernels/compile_unit.hpp"
#include "runtime/kernels/kernel_compiler.hpp"
#include "runtime/kernels/kernel_loader.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

// Kernels of this process by recipe, so that a program launched a thousand times looks its included
// files over once.
class LoadedKernels {
public:
    std::optional<CompiledKernel> find(const std::string& recipe) {
        const std::lock_guard lock(mutex_);
        const auto place = kernels_.find(recipe);
        return place == kernels_.end() ? std::nullopt : std::optional(place->second);
    }
    void add(const std::string& recipe, const CompiledKernel& kernel) {
        const std::lock_guard lock(mutex_);
        kernels_.emplace(recipe, kernel);
    }

private:
    std::mutex mutex_;
    std::map<std::string, CompiledKernel, std::less<>> kernels_;
};

const KernelCompiler& compiler() {
    const char* path = std::getenv("PATH");
    // The compiler that the project was built with may lie in a folder of its own.
    const std::string search_path =
        std::string(path == nullptr ? "" : path) + ":" TESSERA_CLANG_FOLDER;
    static const KernelCompiler instance(find_kernel_toolchain(search_path),
                                         default_cache_folder());
    return instance;
}

// Compiled as it is built in wherever its source allows that, so that its instructions are counted
// alike (emu/kernel_pass/instruction_count.hpp) by either door: as constants, arguments change what
// is unrolled and folded before the count, and so do formats of CBs. One object then serves all
// arguments and formats, too. Where constants are needed the first attempt fails, unless the
// source says so or the cache knows.
std::filesystem::path shared_object_of(const KernelSource& source, const CompileUnit& constants) {
    if (needs_constants(constants, source.compile_args)) {
        return compiler().shared_object(constants);
    }
    // Of its own in the cache: which of two objects runs, and so what is counted, must not hang by
    // what was compiled before.
    const CompileUnit behind_reads =
        compile_unit_of(source, compiler().toolchain(), CompileArgs::ConstantsBehindReads);
    if (compiler().is_cached(behind_reads)) {
        return compiler().shared_object(behind_reads);
    }
    try {
        return compiler().shared_object(
            compile_unit_of(source, compiler().toolchain(), CompileArgs::Read));
    } catch (const ProcessLimitError&) {
        throw;
    } catch (const UsageError&) {
        return compiler().shared_object(behind_reads);  // its errors are the ones to show
    }
}

}  // namespace

CompiledKernel compile_kernel(const KernelSource& source) {
    static LoadedKernels loaded;
    const CompileUnit unit =
        compile_unit_of(source, compiler().toolchain(), CompileArgs::Constants);
    const std::string recipe = unit.recipe();
    if (const auto kernel = loaded.find(recipe)) {
        return *kernel;
    }
    const CompiledKernel kernel = load_kernel(shared_object_of(source, unit), source.path);
    loaded.add(recipe, kernel);
    return kernel;
}

}  // namespace tessera
