// SPDX-License-Identifier: Apache-2.0
#include "runtime/metalium/kernel_path.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "runtime/kernels/kernel_toolchain.hpp"
#include "tessera/errors.hpp"

namespace tessera::metalium {
namespace {

namespace fs = std::filesystem;

std::string& root_folder() {
    static std::string folder;
    return folder;
}

void add_with_parents(const fs::path& folder, std::vector<fs::path>& folders) {
    for (fs::path place = folder; !place.empty(); place = place.parent_path()) {
        folders.push_back(place);
        if (place == place.root_path()) {
            break;
        }
    }
}

std::vector<fs::path> searched_folders() {
    std::vector<fs::path> folders;
    if (!root_folder().empty()) {
        folders.emplace_back(root_folder());
    }
    for (const char* name : {"TT_METAL_KERNEL_PATH", "TT_METAL_RUNTIME_ROOT", "TT_METAL_HOME"}) {
        if (const char* folder = std::getenv(name); folder != nullptr && *folder != '\0') {
            folders.emplace_back(folder);
        }
    }
    // A program that was built inside of its source tree finds its kernels without a variable.
    std::error_code error;
    add_with_parents(fs::current_path(error), folders);
    add_with_parents(fs::read_symlink("/proc/self/exe", error).parent_path(), folders);
    return folders;
}

}  // namespace

void set_root_folder(const std::string& folder) {
    root_folder() = folder;
}

std::string resolve_kernel_path(const std::string& path) {
    if (kernel_file(path)) {
        return path;
    }
    std::error_code error;
    const std::vector<fs::path> folders = searched_folders();
    for (const fs::path& folder : folders) {
        if (const fs::path file = folder / path; fs::is_regular_file(file, error)) {
            return file.string();
        }
    }
    std::vector<std::string> names;
    for (const fs::path& folder : folders) {
        names.push_back(folder.string());
    }
    throw UsageError(fmt::format(
        "CreateKernel: {}: no such file below {}; set TT_METAL_HOME to the folder that the path "
        "starts from",
        path, fmt::join(names, ", ")));
}

}  // namespace tessera::metalium
