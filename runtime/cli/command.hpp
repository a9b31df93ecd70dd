// SPDX-License-Identifier: Apache-2.0
// The subcommands of `tessera`, each in its own file.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "runtime/cli/console.hpp"
#include "runtime/cli/exit_code.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a name of CLI11
class App;
}

namespace tessera::cli {

/// Whether the ranks of `mpirun` share the work of a subcommand.
enum class Ranks : std::uint8_t { One, Several };

/// A subcommand: its CLI11 options, and the function that runs after they are parsed.
struct Command {
    CLI::App* options = nullptr;
    std::function<ExitCode()> run;
    Ranks ranks = Ranks::One;
};

// Each function adds its subcommand to `root`. The console must outlive the command.
[[nodiscard]] Command add_advise(CLI::App& root, Console& console);
[[nodiscard]] Command add_check(CLI::App& root, Console& console);
[[nodiscard]] Command add_compare(CLI::App& root, Console& console);
[[nodiscard]] Command add_exec(CLI::App& root, Console& console);
[[nodiscard]] Command add_explain(CLI::App& root, Console& console);
[[nodiscard]] Command add_kernel(CLI::App& root, Console& console);
[[nodiscard]] Command add_list(CLI::App& root, Console& console);
[[nodiscard]] Command add_manual(CLI::App& root, Console& console);
[[nodiscard]] Command add_model(CLI::App& root, Console& console);
[[nodiscard]] Command add_moe(CLI::App& root, Console& console);
[[nodiscard]] Command add_new(CLI::App& root, Console& console);
[[nodiscard]] Command add_retime(CLI::App& root, Console& console);
[[nodiscard]] Command add_run(CLI::App& root, Console& console);
[[nodiscard]] Command add_sweep(CLI::App& root, Console& console);
[[nodiscard]] Command add_tune(CLI::App& root, Console& console);

using AddCommand = Command (*)(CLI::App& root, Console& console);

/// Subcommands of this folder, in the order in which help shows them.
inline constexpr std::array<AddCommand, 15> kAddCommands{
    add_run,   add_exec,   add_model,   add_retime, add_compare, add_sweep, add_advise, add_tune,
    add_check, add_kernel, add_explain, add_list,   add_moe,     add_new,   add_manual};

}  // namespace tessera::cli
