// SPDX-License-Identifier: Apache-2.0
// Memory of the host and of this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera {

/// What the process may still take, and what bounds it: "the host", "its control group",
/// "ulimit -v" or "ulimit -d".
struct HostMemory {
    std::uint64_t bytes = 0;
    std::string bound;
};

/// The least of what the host has available, what the process's control groups (versions 1 and 2)
/// leave it and what its limits do. What the host does not say does not bind.
/// `root` stands for "/", for tests.
[[nodiscard]] HostMemory host_memory_available(const std::filesystem::path& root = "/");

/// Refuses before anything is allocated.
/// Errors   UsageError with both figures if `bytes` for `what` ("the layer's values") are more than
///          is available. `remedy` is what the user may do.
void require_host_memory(std::uint64_t bytes, const std::string& what, const std::string& remedy);

/// "1.5 GiB": in the largest binary unit of which there is one.
[[nodiscard]] std::string show_bytes(std::uint64_t bytes);

/// The most that this process has held so far, in bytes.
[[nodiscard]] std::uint64_t peak_memory();

}  // namespace tessera
