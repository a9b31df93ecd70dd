// SPDX-License-Identifier: Apache-2.0
// Kernels compiled just in time: any kernel that is not built in, or that a program changes by
// defines or compile-time arguments used as constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/processor.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// A define whose value is the source of the kernel that this one runs in place of: headers beside
/// that one are found too.
inline constexpr const char* kReplacedKernel = "TESSERA_REPLACED_KERNEL";

/// One kernel as a program describes it.
struct KernelSource {
    std::string path;  ///< as the program gives it; stands in messages and call sites
    std::string text;  ///< the source itself, or empty to read the file at `path`
    Processor processor = Processor::Riscv0;
    std::vector<std::uint32_t> compile_args;
    NamedCompileArgs named_compile_args;
    Defines defines;
    std::string prologue;  ///< text in front of the kernel API: a program's constant tables
};

/// Compiles, links and loads a kernel, or finds it in the cache. May be called from several threads
/// at once, not from a kernel's fiber.
///
/// A relative path is looked for from the working directory, then from the folder that holds
/// Tessera's own ops. The cache lies in $TESSERA_CACHE_DIR, else in $XDG_CACHE_HOME/tessera, else
/// in ~/.cache/tessera. Compile-time arguments, formats and tiles of CBs are constants in the
/// kernel where its source needs them so (KERNEL_COMPILE_TIME_ARGS, KERNEL_COMPILE_TIME_ARG_MAP,
/// TESSERA_CB_FORMATS, TESSERA_CB_TILES), else it reads them as a built-in kernel does, and takes
/// as long; COMPILE_FOR_BRISC, COMPILE_FOR_NCRISC or COMPILE_FOR_TRISC says which processor it is
/// for.
///
/// Cost     80 to 200 ms if compiled, 5 ms if cached on disk, else a look at what is loaded: within
///          one process, a change of an included file goes unnoticed.
/// Errors   UsageError with the compiler's first errors if the kernel does not compile; naming the
///          function if it calls one that the machine does not provide; naming the package if it is
///          not in the cache and the compiler is missing; naming the places searched if there is no
///          such file.
[[nodiscard]] CompiledKernel compile_kernel(const KernelSource& source);

}  // namespace tessera
