// SPDX-License-Identifier: Apache-2.0
// The binary `tessera`: maps errors to exit codes. Nothing else prints or ends the process.
#include <unistd.h>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "runtime/cli/command_line.hpp"
#include "tessera/errors.hpp"

int main(int argc, char** argv) {
    using tessera::cli::ExitCode;
    tessera::cli::Console console{std::cout, std::cerr, tessera::cli::style_of(STDOUT_FILENO),
                                  tessera::cli::progress_on(STDERR_FILENO)};
    try {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        const ExitCode code = tessera::cli::run_command_line(arguments, console);
        tessera::require(static_cast<bool>(std::cout.flush()),
                         "standard output takes no more: is its disk full?");
        return static_cast<int>(code);
    } catch (const tessera::ConfigError& error) {
        std::cerr << error.what() << '\n';  // begins with file:line:column
        return error.exit_code();
    } catch (const tessera::InternalError& error) {
        std::cerr << "tessera: internal error: " << error.what() << '\n';
        return error.exit_code();
    } catch (const tessera::Error& error) {
        std::cerr << "tessera: " << error.what() << '\n';
        return error.exit_code();
    } catch (const std::exception& error) {
        std::cerr << "tessera: internal error: " << error.what() << " (please report this)\n";
        return static_cast<int>(ExitCode::Internal);
    }
}
