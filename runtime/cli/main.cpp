// SPDX-License-Identifier: Apache-2.0
// The binary `tessera`: maps errors to exit codes. Nothing else prints or ends the process.
#include <malloc.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "runtime/cli/command_line.hpp"
#include "tessera/errors.hpp"

namespace {

// Tensors come and go by the dozen: memory that was touched once is kept for the next, since the
// host clears every page it gives (a third of a run's processor time went there).
void keep_freed_memory() {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace

int main(int argc, char** argv) {
    using tessera::cli::ExitCode;
    keep_freed_memory();
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
