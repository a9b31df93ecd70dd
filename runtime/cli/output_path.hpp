// SPDX-License-Identifier: Apache-2.0
// Checks names of files and folders that a command will write, before it does any work.
#pragma once

#include <optional>
#include <string>

namespace tessera::cli {

/// Errors   UsageError if the name is empty, or if it names something other than a regular file
///          that may be written. Creating the file finds all other errors.
void require_file_name(const char* option, const std::optional<std::string>& path);

/// Errors   UsageError if the name is empty, or if it names something other than a folder.
void require_folder_name(const char* option, const std::optional<std::string>& path);

}  // namespace tessera::cli
