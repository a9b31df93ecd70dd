// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/output_path.hpp"

#include <filesystem>

#include "tessera/errors.hpp"

namespace tessera::cli {

void require_file_name(const char* option, const std::optional<std::string>& path) {
    if (path) {
        require(!path->empty(), "{}: the name is empty", option);
        require(!std::filesystem::is_directory(*path), "{} {}: is a folder, allowed: a file",
                option, *path);
    }
}

void require_folder_name(const char* option, const std::optional<std::string>& path) {
    if (path) {
        require(!path->empty(), "{}: the name is empty", option);
        require(!std::filesystem::exists(*path) || std::filesystem::is_directory(*path),
                "{} {}: is a file, allowed: a folder", option, *path);
    }
}

}  // namespace tessera::cli
