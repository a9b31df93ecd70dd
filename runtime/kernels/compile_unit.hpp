// SPDX-License-Identifier: Apache-2.0
// Source of a kernel in the form that the compiler gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/jit.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"

namespace tessera {

using Command = std::vector<std::string>;

/// Text and options of one compilation.
struct CompileUnit {
    std::string path;      ///< as stated by the program
    std::string text;      ///< starts with a #line, so that messages and call sites name `path`
    std::string prologue;  ///< included before the kernel API
    Command options;
    std::vector<std::string> roots = {};  ///< kernel_roots(), for messages; also in `options`

    /// Returns everything that the object depends on except tools and included files.
    [[nodiscard]] std::string recipe() const;
};

/// Source of a kernel's compile-time arguments and of the formats of its CBs.
enum class CompileArgs : std::uint8_t {
    Read,       ///< from the program that runs it, as built-in kernels do; without a prologue
    Constants,  ///< compiled in
    /// As Constants, after compiling with Read failed. The cache keeps the difference, so that the
    /// next run does not try again.
    ConstantsBehindReads,
};

/// Returns the compile unit of a kernel.
/// Errors   UsageError naming the searched folders if the source is a file that does not exist.
[[nodiscard]] CompileUnit compile_unit_of(const KernelSource& source,
                                          const KernelToolchain& toolchain, CompileArgs args);

/// Returns true if the text surely needs constants:
///   - an argument, or the format or tile size of a CB, is in a `constexpr` statement;
///   - the arguments may hold a sharded tensor's accessor, whose number of words decides the index
///     of the arguments after it. With Read, all accessors are as long as an interleaved one.
/// False is no proof: headers and other spellings may need constants too.
[[nodiscard]] bool needs_constants(const CompileUnit& unit,
                                   const std::vector<std::uint32_t>& compile_args);

}  // namespace tessera
