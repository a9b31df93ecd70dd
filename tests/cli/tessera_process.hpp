// SPDX-License-Identifier: Apache-2.0
// The binary `tessera` as a process: what it prints and what it ends with.
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

/// Runs the binary with these arguments in `folder` (here, if it is empty) to its end. If `out` is
/// named, standard output goes there and Ending::out stays empty.
[[nodiscard]] Ending run_tessera(const std::vector<std::string>& arguments,
                                 const std::filesystem::path& folder = {},
                                 const std::string& out = "");

/// Runs the binary with a limit of the host (RLIMIT_AS, …) as `ulimit` sets it; not as root, who is
/// above some limits.
[[nodiscard]] Ending run_limited(const std::vector<std::string>& arguments, int resource,
                                 std::uint64_t limit, const std::filesystem::path& folder = {});

/// Runs the binary in a terminal of that width; returns what it shows, with "\n" ends of lines.
[[nodiscard]] std::string run_in_terminal(const std::vector<std::string>& arguments,
                                          unsigned short columns);

/// Runs the binary and sends it SIGINT after `delay`, as Ctrl-C would. Returns the signal that
/// ended it; 0 if it ended on its own.
[[nodiscard]] int interrupt_tessera(const std::vector<std::string>& arguments,
                                    std::chrono::milliseconds delay);
/// As interrupt_tessera, but sends the signal once standard error holds a text. Fails the test
/// after two minutes without it.
[[nodiscard]] int interrupt_tessera_at(const std::vector<std::string>& arguments,
                                       const std::string& text);

/// The bytes of a file; fails the test if it cannot be read.
[[nodiscard]] std::string bytes_of(const std::string& path);
/// How many configurations ship in these folders of configs, as messages have it.
[[nodiscard]] std::string num_shipped(const std::vector<std::string>& folders);
/// Path of a golden file by its stem.
[[nodiscard]] std::string golden_path(const std::string& stem);

}  // namespace tessera::test
