// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/output_path.hpp"

#include <filesystem>

#include "emu/base/refusal.hpp"
#include "emu/base/tensor_file/partial_file.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {

void require_file_name(const char* option, const std::optional<std::string>& path) {
    if (path) {
        require(!path->empty(), "{}: the name is empty", option);
        const std::string obstacle = obstacle_at(*path);
        require_allowed(obstacle.empty(), fmt::format("{} {}", option, *path), "", obstacle,
                        "a new name, or a regular file that may be written");
    }
}

void require_folder_name(const char* option, const std::optional<std::string>& path) {
    if (path) {
        require(!path->empty(), "{}: the name is empty", option);
        std::error_code error;
        const auto status = std::filesystem::status(*path, error);
        require_allowed(!std::filesystem::exists(status) || std::filesystem::is_directory(status),
                        fmt::format("{} {}", option, *path), "", "is a file", "a folder");
    }
}

}  // namespace tessera::cli
