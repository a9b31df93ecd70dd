// SPDX-License-Identifier: Apache-2.0
// Checks kernels without a program: which compile, and what the others miss.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernels/compile_errors.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/processor.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// How a kernel without a program is compiled.
struct CensusOptions {
    std::optional<Processor> processor;  ///< none: as guess_processor says
    Defines defines;
};

/// A kernel that was checked.
struct CheckedKernel {
    std::string path;
    Processor processor = Processor::Riscv0;
    CompileErrors errors;
};

/// Need of a kernel that does not compile. The first row that applies counts.
enum class KernelNeeds : std::uint8_t {
    Nothing,
    Instructions,  ///< nothing, but a run ends where it reaches an instruction of the chip
    Macros,        ///< the program has to define words, and nothing else is missing
    Root,          ///< a header whose root is not among the folders
    Names,         ///< functions, types or headers that Tessera does not have
    Other,         ///< an error of the kernel, or of the arguments that stand in for a program's
};
[[nodiscard]] KernelNeeds needs_of(const CompileErrors& errors);

/// Returns the files of kernels: `place` itself, or below it each .cpp file that defines
/// kernel_main() or MAIN, sorted.
/// Errors   UsageError if there is no such file or folder, or no kernel in the folder.
[[nodiscard]] std::vector<std::filesystem::path> kernels_at(const std::filesystem::path& place);

/// Returns the processor of a kernel by what its text includes and calls, else by its name: one
/// with "reader" runs on processor 1, others on 0.
[[nodiscard]] Processor guess_processor(const std::filesystem::path& file, const std::string& text);

/// Compiles a kernel for a device. Each compile-time argument is a small number, and each circular
/// buffer holds bfloat16 tiles.
/// Errors   UsageError if the file cannot be read or there is no compiler.
[[nodiscard]] CheckedKernel check_kernel_file(const std::filesystem::path& file,
                                              const ArchSpec& arch, const CensusOptions& options);

/// Checks several kernels with `num_threads` compilers at once (0: one for each core of the host),
/// and returns them in the order of `files`. `on_done` is called with the number of kernels that
/// are done, from one thread at a time.
/// Errors   as check_kernel_file: that of the first file.
[[nodiscard]] std::vector<CheckedKernel> check_kernel_files(
    const std::vector<std::filesystem::path>& files, const ArchSpec& arch,
    const CensusOptions& options, std::uint32_t num_threads,
    const std::function<void(std::size_t)>& on_done);

}  // namespace tessera
