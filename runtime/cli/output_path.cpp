// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/output_path.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include "emu/base/input_file.hpp"
#include "emu/base/refusal.hpp"
#include "emu/base/tensor_file/partial_file.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

/// Returns why nothing can be created in an existing folder; empty if something can. A temporary
/// folder is made and removed: permissions alone do not tell for root, nor for /proc.
std::string obstacle_in(const std::filesystem::path& folder) {
    std::string name = (folder / ".tessera-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        return fmt::format("cannot be created in {} ({})", folder.string(), std::strerror(errno));
    }
    (void)rmdir(name.c_str());
    return "";
}

std::string obstacle_in_folder_of(const std::filesystem::path& path) {
    return obstacle_in(path.has_parent_path() ? path.parent_path() : ".");
}

/// Returns the folder in which a folder's first missing parent, or its content, will be created.
std::filesystem::path existing_parent(std::filesystem::path path) {
    std::error_code error;
    path = std::filesystem::absolute(path).lexically_normal();
    while (!std::filesystem::exists(path, error) && path.has_parent_path() &&
           path != path.parent_path()) {
        path = path.parent_path();
    }
    return path;
}

bool is_same(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code error;  // a file that does not exist yet is compared by its name
    return std::filesystem::equivalent(a, b, error) ||
           std::filesystem::absolute(a).lexically_normal() ==
               std::filesystem::absolute(b).lexically_normal();
}

}  // namespace

void require_file_name(const char* option, const std::optional<std::string>& path) {
    if (path) {
        require(!path->empty(), "{}: the name is empty", option);
        const std::string at_name = obstacle_at(*path);
        const std::string obstacle = at_name.empty() ? obstacle_in_folder_of(*path) : at_name;
        require_allowed(obstacle.empty(), fmt::format("{} {}", option, *path), "", obstacle,
                        "a new name, or a regular file that may be written");
    }
}

void require_ending(const char* option, const std::optional<std::string>& path,
                    std::string_view ending) {
    const std::filesystem::path file = path.value_or("");
    const std::string found = file.extension().string();
    const bool is_same_ending = std::ranges::equal(
        found, ending, [](unsigned char a, char b) { return std::tolower(a) == b; });
    require_allowed(
        found.empty() || is_same_ending, fmt::format("{} {}", option, file.string()), "",
        fmt::format("its ending is {}", found),
        fmt::format("{}, the format that the option writes; write {} {}", ending, option,
                    std::filesystem::path(file).replace_extension(ending).string()));
}

void require_yaml_ending(const char* option, const std::optional<std::string>& path) {
    if (std::filesystem::path(path.value_or("")).extension() != ".yml") {
        require_ending(option, path, ".yaml");
    }
}

void require_folder_name(const char* option, const std::optional<std::string>& path) {
    if (path) {
        require(!path->empty(), "{}: the name is empty", option);
        std::error_code error;
        const auto status = std::filesystem::status(*path, error);
        // No status at all: a loop of symbolic links, or a name that is too long.
        require_allowed(status.type() != std::filesystem::file_type::none,
                        fmt::format("{} {}", option, *path), "", error.message(),
                        "a folder that may be written");
        require_allowed(!std::filesystem::exists(status) || std::filesystem::is_directory(status),
                        fmt::format("{} {}", option, *path), "", "is a file", "a folder");
        const std::filesystem::path parent = existing_parent(*path);
        const std::string obstacle =
            std::filesystem::is_directory(parent, error)
                ? obstacle_in(parent)
                : fmt::format("cannot be created, because {} is a file", parent.string());
        require_allowed(obstacle.empty(), fmt::format("{} {}", option, *path), "", obstacle,
                        "a folder that may be written");
    }
}

void write_unless_edited(const std::filesystem::path& path, const std::string& text, Force force,
                         std::string_view cure) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;
    require(force == Force::Yes || !std::filesystem::exists(path) ||
                tessera::read_input(path, kMostBytes) == text,
            "{}: exists and differs from what would be written; allowed: {}", path.string(), cure);
    PartialFile file(path);
    file.write_at(0, std::as_bytes(std::span(text)));
    file.finish();
}

void require_different(const std::vector<UsedFile>& written, const std::vector<UsedFile>& read) {
    for (auto file = written.begin(); file != written.end(); ++file) {
        const auto refuse = [&](const UsedFile& other) {
            require(!is_same(file->path, other.path), "{} {} is the file of {}", file->name,
                    file->path.string(), other.name);
        };
        std::for_each(written.begin(), file, refuse);
        std::ranges::for_each(read, refuse);
    }
}

}  // namespace tessera::cli
