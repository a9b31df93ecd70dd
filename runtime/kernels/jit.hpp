// SPDX-License-Identifier: Apache-2.0
// Kernels compiled just in time: any kernel that is not built in, or that a program changes by
// defines or compile-time arguments used as constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/compile_errors.hpp"
#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/processor.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Define whose value is the source of the kernel that this kernel replaces. Headers beside the
/// replaced kernel are found too.
inline constexpr const char* kReplacedKernel = "TESSERA_REPLACED_KERNEL";

/// One kernel as a program describes it.
struct KernelSource {
    std::string path;  ///< as stated by the program; used in messages and call sites
    std::string text;  ///< the source itself, or empty to read the file at `path`
    Processor processor = Processor::Riscv0;
    std::vector<std::uint32_t> compile_args;
    NamedCompileArgs named_compile_args;
    Defines defines;
    std::string prologue;  ///< text before the kernel API: a program's constant tables
    std::vector<std::string> include_folders;  ///< of the program, besides kernel_roots()
};

/// Compiles, links and loads a kernel, or finds it in the cache. May be called from several threads
/// at once, not from a kernel's fiber.
///
/// A relative path is searched from the working directory, then from the folder of Tessera's own
/// ops. The cache is $TESSERA_CACHE_DIR, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera.
/// Compile-time arguments, formats and tiles of CBs are constants in the kernel if its source needs
/// them so (KERNEL_COMPILE_TIME_ARGS, KERNEL_COMPILE_TIME_ARG_MAP, TESSERA_CB_FORMATS,
/// TESSERA_CB_TILES). Otherwise the kernel reads them like a built-in kernel and has the same
/// times. COMPILE_FOR_BRISC, COMPILE_FOR_NCRISC or COMPILE_FOR_TRISC states its processor.
///
/// Cost     80 to 200 ms if compiled, 5 ms if cached on disk, else a lookup of loaded kernels:
///          within one process, a change of an included file is not noticed.
/// Errors   UsageError with the compiler's first errors if the kernel does not compile; naming the
///          function if it calls one that the machine does not provide; naming the package if the
///          kernel is not in the cache and the compiler is missing; naming the searched folders if
///          there is no such file.
[[nodiscard]] CompiledKernel compile_kernel(const KernelSource& source);

/// Returns all that is missing in a kernel or wrong, without running it and without an object.
/// Compile-time arguments are constants; a name of one that `source` does not give has any value.
/// Errors   UsageError if there is no such file or no compiler.
[[nodiscard]] CompileErrors check_kernel(const KernelSource& source);

}  // namespace tessera
