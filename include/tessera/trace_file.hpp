// SPDX-License-Identifier: Apache-2.0
// Files that hold a whole trace. emu/base/trace_file reads and writes them launch by launch.
#pragma once

#include <filesystem>

#include "tessera/trace.hpp"

namespace tessera {

/// Writes a trace under a temporary name and renames the file when it is complete. Equal traces
/// give equal bytes.
/// Errors   UsageError if the file cannot be created or the disk refuses.
void write_trace(const std::filesystem::path& path, const Trace& trace);

/// Reads a whole trace.
/// Errors   UsageError if the file cannot be read, is not a trace, has another version, or is
///          truncated or corrupt.
[[nodiscard]] Trace read_trace(const std::filesystem::path& path);

}  // namespace tessera
