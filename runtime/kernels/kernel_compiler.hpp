// SPDX-License-Identifier: Apache-2.0
// Compiles a kernel's source to a shared object in the cache.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "runtime/kernels/artifact_cache.hpp"
#include "runtime/kernels/child_process.hpp"
#include "runtime/kernels/compile_errors.hpp"
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
    /// Returns all that the compiler refuses in a unit, without an object. Headers that are missing
    /// are taken as empty after they are noted, so that what follows them is checked too.
    [[nodiscard]] CompileErrors errors_of(const CompileUnit& unit) const;

private:
    [[nodiscard]] std::string recipe_of(const CompileUnit& unit) const;
    [[nodiscard]] std::filesystem::path build(const CompileUnit& unit,
                                              const std::string& recipe) const;
    [[nodiscard]] std::filesystem::path precompiled_headers() const;
    void run(const Command& command, const std::string& subject) const;
    void compile_kernel(const Command& command, const CompileUnit& unit,
                        const DraftFolder& drafts) const;
    /// Runs a command on a kernel; after errors that come from spellings of the chip's compiler
    /// a second time, with the files in the host's spelling.
    [[nodiscard]] ProcessOutcome run_compiler(Command command, const CompileUnit& unit,
                                              const DraftFolder& drafts,
                                              const std::string& subject) const;
    [[nodiscard]] Command check_command(const CompileUnit& unit, const DraftFolder& drafts) const;
    [[nodiscard]] Command pass_options() const;
    [[nodiscard]] CompileErrors errors_of_address_step(Command command, const CompileUnit& unit,
                                                       const DraftFolder& drafts,
                                                       const std::string& subject) const;

    /// Returns the lock of a recipe in this process: one of several threads compiles it, and the
    /// others then find it in the cache.
    [[nodiscard]] std::unique_lock<std::mutex> lock_of(const std::string& recipe) const;
    [[nodiscard]] std::filesystem::path build_headers(const std::string& recipe,
                                                      Command command) const;

    KernelToolchain toolchain_;
    ArtifactCache cache_;
    std::string identity_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::mutex> recipes_;  ///< nodes keep their place
};

}  // namespace tessera
