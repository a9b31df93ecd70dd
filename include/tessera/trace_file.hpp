// SPDX-License-Identifier: Apache-2.0
// Whole traces on disk. emu/base/trace_file writes and reads them launch by launch.
#pragma once

#include <filesystem>

#include "tessera/trace.hpp"

namespace tessera {

/// Writes a trace, under a temporary name until it is whole. Equal traces give equal bytes.
/// Errors   UsageError if the file cannot be created or the disk refuses.
void write_trace(const std::filesystem::path& path, const Trace& trace);

/// Reads a whole trace.
/// Errors   UsageError if the file cannot be read, is no trace, is of a newer version, is cut off
/// or
///          corrupt.
[[nodiscard]] Trace read_trace(const std::filesystem::path& path);

}  // namespace tessera
