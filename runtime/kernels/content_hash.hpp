// SPDX-License-Identifier: Apache-2.0
// Hashes of texts and files, used as their names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// Returns the 128-bit hash of `content` as 32 hexadecimal digits. Not cryptographic.
[[nodiscard]] std::string content_hash(std::string_view content);

/// Returns the bytes of a regular file, or nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path);

/// Returns the hash of a file's bytes, or nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> file_hash(const std::filesystem::path& path);

}  // namespace tessera
