// SPDX-License-Identifier: Apache-2.0
// Names of files and folders that a command is to write, refused before it does anything.
#pragma once

#include <optional>
#include <string>

namespace tessera::cli {

/// Errors   UsageError if the name is empty, or that of something other than a regular file that
/// may
///          be written. What else may be wrong with it is found by whoever creates the file.
void require_file_name(const char* option, const std::optional<std::string>& path);

/// Errors   UsageError if the name is empty or that of something other than a folder.
void require_folder_name(const char* option, const std::optional<std::string>& path);

}  // namespace tessera::cli
