// SPDX-License-Identifier: Apache-2.0
// Files that appear together or not at all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tessera::report {

struct NamedText {
    std::string name;  ///< without a folder
    std::string text;
};

/// Refuses, before a run that takes its time, what write_together would refuse after it.
/// Errors   UsageError naming the path: `directory` or what it would be created in is no folder or
///          may not be written, or something other than a writable regular file has one of `names`.
void require_places(const std::filesystem::path& directory, std::span<const std::string> names);

/// Writes all files under temporary names in `directory`, which is created with its parents, and
/// renames them once all are complete; what could not be finished leaves no file behind and older
/// files as they were.
/// Errors   UsageError naming the path and the system's reason.
void write_together(const std::filesystem::path& directory, const std::vector<NamedText>& files);

}  // namespace tessera::report
