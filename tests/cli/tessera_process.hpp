// SPDX-License-Identifier: Apache-2.0
// The binary `tessera` as a process: its output and its exit code.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/scratch_folder.hpp"

namespace tessera::test {

struct Ending {
    int exit_code = 0;  ///< -1 if a signal ended it
    std::string out;
    std::string err;
};

/// Runs the binary with these arguments in `folder` (the current folder if empty) until it ends. If
/// `out` is given, standard output goes there and Ending::out is empty.
[[nodiscard]] Ending run_tessera(const std::vector<std::string>& arguments,
                                 const std::filesystem::path& folder = {},
                                 const std::string& out = "");

/// Runs the binary with a limit of the host (RLIMIT_AS, …) as `ulimit` sets it. Does not run as
/// root, to which some limits do not apply.
[[nodiscard]] Ending run_limited(const std::vector<std::string>& arguments, int resource,
                                 std::uint64_t limit, const std::filesystem::path& folder = {});

/// Runs the binary in a terminal of that width. Returns the screen's text with "\n" line ends.
[[nodiscard]] std::string run_in_terminal(const std::vector<std::string>& arguments,
                                          unsigned short columns);

/// Runs the binary and sends SIGINT after `delay`, like Ctrl-C. Returns the signal that ended it,
/// or 0 if it ended on its own.
[[nodiscard]] int interrupt_tessera(const std::vector<std::string>& arguments,
                                    std::chrono::milliseconds delay);
/// Like interrupt_tessera, but sends the signal once standard error contains a text. Fails the test
/// after two minutes without the text.
[[nodiscard]] int interrupt_tessera_at(const std::vector<std::string>& arguments,
                                       const std::string& text);

/// Returns the bytes of a file; fails the test if it cannot be read.
[[nodiscard]] std::string bytes_of(const std::string& path);
/// Returns the number of shipped configurations in these folders of configs, as in messages.
[[nodiscard]] std::string num_shipped(const std::vector<std::string>& folders);
/// Returns the path of a golden file by its stem.
[[nodiscard]] std::string golden_path(const std::string& stem);

}  // namespace tessera::test
