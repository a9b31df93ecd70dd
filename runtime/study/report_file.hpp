// SPDX-License-Identifier: Apache-2.0
// A timed run from the files of its report.
#pragma once

#include <filesystem>

#include "runtime/study/run_figures.hpp"

namespace tessera::compare {

/// Reads `report.json`, or the one in a folder that --report wrote.
/// Errors   UsageError naming the file: it cannot be read, is no report, or one of another version.
[[nodiscard]] RunFigures read_report(const std::filesystem::path& path);

}  // namespace tessera::compare
