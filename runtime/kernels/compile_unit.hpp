// SPDX-License-Identifier: Apache-2.0
// A kernel's source as the compiler is given it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/jit.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"

namespace tessera {

using Command = std::vector<std::string>;

struct CompileUnit {
    std::string path;      ///< as the program gave it
    std::string text;      ///< starts with a #line, so that messages and call sites name `path`
    std::string prologue;  ///< included in front of the kernel API
    Command options;

    /// All that the object depends on but the tools and the included files.
    [[nodiscard]] std::string recipe() const;
};

/// How a kernel gets its compile-time arguments and the formats of its CBs.
enum class CompileArgs : std::uint8_t {
    Read,       ///< from the program that runs it, as built-in kernels do; without a prologue
    Constants,  ///< compiled in
    /// The same where they could not be read: in the cache, it says so to the next run.
    ConstantsBehindReads,
};

/// Errors   UsageError naming the places searched if the source is a file and is not there.
[[nodiscard]] CompileUnit compile_unit_of(const KernelSource& source,
                                          const KernelToolchain& toolchain, CompileArgs args);

/// True if the text has an argument, or the format or tile size of a CB, in a `constexpr`
/// statement: read, it would not compile. Also if the arguments may hold the words of a sharded
/// tensor's accessor, whose number the place of what follows hangs by; read, all accessors are as
/// long as an interleaved one. False says nothing, for headers and other spellings may need
/// constants too.
[[nodiscard]] bool needs_constants(const CompileUnit& unit,
                                   const std::vector<std::uint32_t>& compile_args);

}  // namespace tessera
