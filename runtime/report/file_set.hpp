// SPDX-License-Identifier: Apache-2.0
// Files that appear together or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::report {

struct NamedText {
    std::string name;  ///< without a folder
    std::string text;
};

/// Writes all files under temporary names in `directory`, which is created with its parents, and
/// renames them once all are complete; what could not be finished leaves no file behind and older
/// files as they were.
/// Errors   UsageError naming the path and the system's reason.
void write_together(const std::filesystem::path& directory, const std::vector<NamedText>& files);

}  // namespace tessera::report
