// SPDX-License-Identifier: Apache-2.0
// Errors of a compiler in the words of a kernel's author.
#pragma once

#include <string>

#include "runtime/kernels/child_process.hpp"
#include "runtime/kernels/compile_unit.hpp"

namespace tessera {

/// Returns the first error lines of a compiler's output, each after "\n  ", without notes and
/// warnings. An error in a template of the kernel API gets the place of the kernel's call: the last
/// of the notes after it.
[[nodiscard]] std::string first_errors(const std::string& output);

/// Returns the errors of a failed tool. Without error lines it returns the exit status and all
/// output, as for a tool that was killed or crashed in the plugin.
[[nodiscard]] std::string complaint_of(const std::string& tool, const ProcessOutcome& outcome);

/// Returns what is missing behind the first errors, and what to do about headers.
[[nodiscard]] std::string what_is_missing(const std::string& output, const CompileUnit& unit);

/// Returns the compile-time arguments that the lines at fault read and the program does not give;
/// empty if it gives all.
[[nodiscard]] std::string missing_arguments(const std::string& output, const CompileUnit& unit);

}  // namespace tessera
