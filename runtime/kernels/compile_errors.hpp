// SPDX-License-Identifier: Apache-2.0
// Names and headers that a kernel misses, from the errors of a compiler, each once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Missing parts of a kernel, each in the order of first use.
struct CompileErrors {
    std::vector<std::string> vendor_headers;  ///< of TT-Metalium, which Tessera does not have
    std::vector<std::string> user_headers;    ///< others: their root is not among the folders
    std::vector<std::string> names;           ///< unknown functions, types and members
    std::vector<std::string> defines;         ///< unknown words in capitals: macros of the program
    /// Functions of compute kernels that a kernel which moves data calls.
    std::vector<std::string> compute_functions;
    /// True if the kernel compiles when a definition replaces each of these words.
    bool compiles_with_defines = false;
    std::vector<std::string> others;  ///< all other errors, as the compiler words them
    /// Instructions of the chip that the kernel writes; it compiles, and ends where it reaches one.
    std::vector<std::string> instructions;

    /// Returns true if the kernel compiles.
    [[nodiscard]] bool empty() const noexcept;
};

/// Reads the errors in the output of clang.
[[nodiscard]] CompileErrors compile_errors(const std::string& output);

/// Returns true for a namespace of a program's named arguments and resources (args::count), and for
/// a function that reads them.
[[nodiscard]] bool is_resource_namespace(const std::string& name);

/// Returns true for the name of a header that TT-Metalium's own headers have.
[[nodiscard]] bool is_vendor_header(const std::string& name);

/// Returns lines that say what is missing and how to supply it, each after "\n  "; `roots` are the
/// searched folders. Empty if no header and no name is missing.
[[nodiscard]] std::string missing_text(const CompileErrors& errors,
                                       std::span<const std::string> roots);

}  // namespace tessera
