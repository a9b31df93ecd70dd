// SPDX-License-Identifier: Apache-2.0
// Writes several files together: all or none of them appear.
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

/// Checks before a long run that write_together will be able to write its files.
/// Errors   UsageError naming the path: `directory` or the folder of its creation is not a folder
///          or not writable, or one of `names` exists and is not a writable regular file.
void require_places(const std::filesystem::path& directory, std::span<const std::string> names);

/// Writes all files under temporary names in `directory`, which is created with its parents, and
/// renames them when all are complete. After a failure no new file remains and older files are
/// unchanged.
/// Errors   UsageError naming the path and the system's reason.
void write_together(const std::filesystem::path& directory, const std::vector<NamedText>& files);

}  // namespace tessera::report
