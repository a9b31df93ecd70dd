// SPDX-License-Identifier: Apache-2.0
// Checks names of files and folders that a command will write, before it does any work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

/// Errors   UsageError if the name is empty, or if it names something other than a regular file
///          that may be written. Creating the file finds all other errors.
void require_file_name(const char* option, const std::optional<std::string>& path);

/// Errors   UsageError if the name has another ending than `ending` (".svg"), that of the option's
///          format: other programs would open the file as another format. A name without an ending
///          is allowed.
void require_ending(const char* option, const std::optional<std::string>& path,
                    std::string_view ending);

/// Errors   UsageError as require_ending() for a YAML file, which may also end with ".yml". A
///          configuration with another ending is read as a report or a trace.
void require_yaml_ending(const char* option, const std::optional<std::string>& path);

/// Errors   UsageError if the name is empty, or if it names something other than a folder.
void require_folder_name(const char* option, const std::optional<std::string>& path);

/// Whether a command replaces a file that differs from what it writes.
enum class Force : std::uint8_t { No, Yes };

/// Writes a file that the user may have edited since an earlier call.
/// Errors   UsageError with the cure if it exists with another text, unless `force`; if it cannot
///          be written.
void write_unless_edited(const std::filesystem::path& path, const std::string& text, Force force,
                         std::string_view cure);

/// A file of a command: its option, or words for it, and its path.
struct UsedFile {
    std::string name;
    std::filesystem::path path;
};

/// Errors   UsageError if a file that the command writes is another one that it writes, or one that
///          it reads: its input would be lost.
void require_different(const std::vector<UsedFile>& written, const std::vector<UsedFile>& read);

}  // namespace tessera::cli
