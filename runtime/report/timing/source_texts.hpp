// SPDX-License-Identifier: Apache-2.0
// Source texts of the kernels whose lines a report names.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Function that returns the path of a file from its name in a report; nothing if it is not found.
using FindFile = std::function<std::optional<std::filesystem::path>(const std::string& name)>;

/// Returns the text of each file whose lines the report names, once, sorted by name. Omits files
/// that `find` does not find, unreadable files, since a trace may come from another host, and files
/// above 256 KiB.
[[nodiscard]] std::vector<SourceText> source_texts(const TimingReport& report,
                                                   const FindFile& find);

}  // namespace tessera::report
