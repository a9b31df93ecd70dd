// SPDX-License-Identifier: Apache-2.0
// Memory of the host and of this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera {

/// Memory that the process may still allocate, and its bound: "the host", "its control group",
/// "ulimit -v" or "ulimit -d".
struct HostMemory {
    std::uint64_t bytes = 0;
    std::string bound;
};

/// Returns the minimum of the host's available memory, of the limits of the process's control
/// groups (versions 1 and 2), and of the process limits. Values that the host does not report are
/// ignored. `root` replaces "/" in tests.
[[nodiscard]] HostMemory host_memory_available(const std::filesystem::path& root = "/");

/// Checks the available memory before an allocation.
/// Errors   UsageError with both figures if `bytes` for `what` ("the layer's values") exceed the
///          available memory. `remedy` tells the user what to do.
void require_host_memory(std::uint64_t bytes, const std::string& what, const std::string& remedy);

/// Returns "1.5 GiB": in the largest binary unit whose number is at least 1.
[[nodiscard]] std::string show_bytes(std::uint64_t bytes);

/// Returns the peak memory of this process in bytes.
[[nodiscard]] std::uint64_t peak_memory();

}  // namespace tessera
