// SPDX-License-Identifier: Apache-2.0
// Compiles a kernel's source to a shared object in the cache.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/kernels/artifact_cache.hpp"
#include "runtime/kernels/compile_unit.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"

namespace tessera {

/// Compiler of kernels with its cache.
class KernelCompiler {
public:
    /// Errors   UsageError if the cache's folder cannot be written.
    KernelCompiler(KernelToolchain toolchain, const std::filesystem::path& cache_folder);

    [[nodiscard]] const KernelToolchain& toolchain() const { return toolchain_; }

    /// Returns the shared object of a kernel; compiles it if the cache has no current one.
    /// Errors   UsageError with the compiler's first errors.
    [[nodiscard]] std::filesystem::path shared_object(const CompileUnit& unit) const;
    /// Returns whether the cache has a current object.
    [[nodiscard]] bool is_cached(const CompileUnit& unit) const;

private:
    [[nodiscard]] std::string recipe_of(const CompileUnit& unit) const;
    [[nodiscard]] std::filesystem::path build(const CompileUnit& unit,
                                              const std::string& recipe) const;
    [[nodiscard]] std::filesystem::path precompiled_headers() const;
    void run(const Command& command, const std::string& subject) const;
    void compile_kernel(const Command& command, const CompileUnit& unit) const;

    KernelToolchain toolchain_;
    ArtifactCache cache_;
    std::string identity_;
};

}  // namespace tessera
