// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/arch_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/base/fields/nearest.hpp"

namespace tessera::config {
namespace {

/// Returns the searched folders. The run file's own tree comes first: a copied tree of configs must
/// use its own device files.
std::vector<std::filesystem::path> arch_folders(const std::filesystem::path& run_path,
                                                ConfigFolders folders) {
    std::vector<std::filesystem::path> found{
        (run_path.parent_path() / ".." / "arch").lexically_normal()};
    for (const auto& folder : folders) {
        found.push_back((folder / "arch").lexically_normal());
    }
    return found;
}

}  // namespace

bool is_path_of_arch(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".yaml");
}

std::optional<std::filesystem::path> find_arch_file(const std::string& name,
                                                    const std::filesystem::path& run_path,
                                                    ConfigFolders folders) {
    // Device files of a user's own are named by a path, relative to the run file or absolute.
    if (is_path_of_arch(name)) {
        const auto file = (run_path.parent_path() / name).lexically_normal();
        return std::filesystem::is_regular_file(file) ? std::optional(file) : std::nullopt;
    }
    for (const auto& folder : arch_folders(run_path, folders)) {
        const auto file = folder / (name + ".yaml");
        if (std::filesystem::is_regular_file(file)) {
            return file;
        }
    }
    return std::nullopt;
}

std::string unknown_device(const std::string& name, const std::filesystem::path& run_path,
                           ConfigFolders folders) {
    std::vector<std::string> known;
    for (const auto& folder : arch_folders(run_path, folders)) {
        // The same device may be in several folders; it is listed once.
        for (const std::string& found : names_in(folder)) {
            if (std::ranges::find(known, found) == known.end()) {
                known.push_back(found);
            }
        }
    }
    if (is_path_of_arch(name)) {
        return fmt::format("there is no file {}",
                           (run_path.parent_path() / name).lexically_normal().string());
    }
    if (known.empty()) {
        // An empty list of names usually means a wrong folder, so the folders are shown.
        std::vector<std::string> searched;
        for (const auto& folder : arch_folders(run_path, folders)) {
            searched.push_back(folder.string());
        }
        return fmt::format("'{}' is unknown, no arch files in {}", name, fmt::join(searched, ", "));
    }
    return fmt::format("'{}' is unknown{} Allowed: {}", name, did_you_mean(name, known),
                       fmt::join(known, ", "));
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    // A folder that does not exist has no names; it is not an error to search it.
    std::error_code no_folder;
    for (const auto& entry : std::filesystem::directory_iterator(folder, no_folder)) {
        if (entry.path().extension() == ".yaml") {
            names.push_back(entry.path().stem().string());
        }
    }
    // Folders have no order; messages and lists need one.
    std::ranges::sort(names);
    return names;
}

}  // namespace tessera::config
