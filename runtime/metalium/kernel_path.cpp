// SPDX-License-Identifier: Apache-2.0
#include "runtime/metalium/kernel_path.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

/// Folders in the order of the search, each once.
class SearchList {
public:
    /// Adds a folder; an empty name is that of no folder.
    void add(const fs::path& folder) {
        const std::string name = folder.string();
        if (!name.empty() && std::ranges::find(names_, name) == names_.end()) {
            names_.push_back(name);
        }
    }
    void add_with_parents(fs::path folder) {
        for (; !folder.empty() && folder != folder.root_path(); folder = folder.parent_path()) {
            add(folder);
        }
        add(folder);
    }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
    std::vector<std::string> names_;
};

SearchList searched_folders() {
    SearchList folders;
    folders.add(root_folder());
    for (const char* name : {"TT_METAL_KERNEL_PATH", "TT_METAL_RUNTIME_ROOT", "TT_METAL_HOME"}) {
        if (const char* folder = std::getenv(name); folder != nullptr) {
            folders.add(folder);
        }
    }
    // A program that was built inside of its source tree finds its kernels without a variable.
    std::error_code error;
    folders.add_with_parents(fs::current_path(error));
    folders.add_with_parents(fs::read_symlink("/proc/self/exe", error).parent_path());
    return folders;
}

}  // namespace

void set_root_folder(const std::string& folder) {
    root_folder() = folder;
}

std::string resolve_kernel_path(const std::string& path) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
        return path;
    }
    const SearchList folders = searched_folders();
    for (const std::string& folder : folders.names()) {
        if (const fs::path file = fs::path(folder) / path; fs::is_regular_file(file, error)) {
            return file.string();
        }
    }
    // Kernels of Tessera's own ops come last: a program's file of the same path is the one it
    // means.
    if (kernel_file(path)) {
        return path;
    }
    throw UsageError(fmt::format(
        "CreateKernel: {}: no such file below {}; set TT_METAL_HOME to the folder that the path "
        "starts from",
        path, fmt::join(folders.names(), ", ")));
}

}  // namespace tessera::metalium
