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

// Kernels of this process by recipe, so that the included files of a program that is launched a
// thousand times are checked once.
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

// Objects of this process by recipe. Kernels that differ in their arguments alone have one, whose
// files are checked once.
class KnownObjects {
public:
    std::optional<std::filesystem::path> find(const std::string& recipe) {
        const std::lock_guard lock(mutex_);
        const auto place = objects_.find(recipe);
        return place == objects_.end() ? std::nullopt : std::optional(place->second);
    }
    void add(const std::string& recipe, const std::filesystem::path& object) {
        const std::lock_guard lock(mutex_);
        objects_.emplace(recipe, object);
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::filesystem::path, std::less<>> objects_;
};

const KernelCompiler& compiler() {
    const char* path = std::getenv("PATH");
    // The compiler of the project's build may be in a folder of its own.
    const std::string search_path =
        std::string(path == nullptr ? "" : path) + ":" TESSERA_CLANG_FOLDER;
    static const KernelCompiler instance(find_kernel_toolchain(search_path),
                                         default_cache_folder());
    return instance;
}

std::filesystem::path object_of(const CompileUnit& unit) {
    static KnownObjects known;
    const std::string recipe = unit.recipe();
    if (const auto object = known.find(recipe)) {
        return *object;
    }
    std::filesystem::path object = compiler().shared_object(unit);
    known.add(recipe, object);
    return object;
}

// Compiles a kernel like a built-in one if its source allows it, so that both have the same count
// of instructions (emu/kernel_pass/instruction_count.hpp). Constant arguments and formats change
// what is unrolled and folded before the count: matmul_640 took 39 639 cycles with a comment added
// to each kernel and 39 222 without. One object then also serves all arguments and formats. If
// constants are needed the first attempt fails, unless the source or the cache shows it.
std::filesystem::path shared_object_of(const KernelSource& source, const CompileUnit& constants) {
    if (needs_constants(constants, source.compile_args)) {
        return object_of(constants);
    }
    // An entry of its own in the cache: which of two objects runs, and so the count, must not
    // depend on what was compiled before.
    const CompileUnit behind_reads =
        compile_unit_of(source, compiler().toolchain(), CompileArgs::ConstantsBehindReads);
    if (compiler().is_cached(behind_reads)) {
        return object_of(behind_reads);
    }
    try {
        return object_of(compile_unit_of(source, compiler().toolchain(), CompileArgs::Read));
    } catch (const ProcessLimitError&) {
        throw;
    } catch (const UsageError&) {
        return object_of(behind_reads);  // the user sees the errors of this attempt
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

CompileErrors check_kernel(const KernelSource& source) {
    return compiler().errors_of(
        compile_unit_of(source, compiler().toolchain(), CompileArgs::Constants));
}

}  // namespace tessera
