// SPDX-License-Identifier: Apache-2.0
// The texts of the kernels that a report names lines of.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Returns where the file is that lines of a report name so; nothing if it is not found.
using FindFile = std::function<std::optional<std::filesystem::path>(const std::string& name)>;

/// Returns the text of each file that lines of the report name, once, in the order of their names.
/// Files that `find` does not find or that cannot be read, and those above 256 KiB, are left out: a
/// trace may come from another host.
[[nodiscard]] std::vector<SourceText> source_texts(const TimingReport& report,
                                                   const FindFile& find);

}  // namespace tessera::report
