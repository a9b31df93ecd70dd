// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_roots.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <string_view>

#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string value_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
}

void add_folder(const std::string& folder, const char* origin, std::vector<fs::path>& roots) {
    std::error_code error;
    require(fs::is_directory(folder, error), "{}: {} is not a folder", origin, folder);
    roots.push_back(fs::absolute(folder).lexically_normal());
}

// A host program's kernels are often beside it. Not of Tessera's own programs: they would give each
// of a build's tests objects of its own in the cache.
void add_program_folder(std::vector<fs::path>& roots) {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    constexpr std::array<std::string_view, 3> kInterpreters{"tessera", "python", "perl"};
    for (const std::string_view name : kInterpreters) {
        if (program.filename().string().starts_with(name)) {
            return;
        }
    }
    const bool is_own = fs::exists(program.parent_path() / "CTestTestfile.cmake", error);
    if (!error && !is_own && !program.empty()) {
        roots.push_back(program.parent_path());
    }
}

void add_metalium_folders(std::vector<fs::path>& roots) {
    const std::string home = value_of(kMetaliumVariable);
    if (home.empty()) {
        return;
    }
    if (std::error_code error; !fs::is_directory(home, error)) {
        // Not an error: shells often export a stale path, and most runs need no file of the tree.
        static std::once_flag once;
        std::call_once(once, [&] {
            log::info(log::Area::Jit,
                      "{}: {} is not a folder; no kernel or header is searched there",
                      kMetaliumVariable, home);
        });
        return;
    }
    for (const char* part : {"", "ttnn", "ttnn/cpp", "tt_metal"}) {
        std::error_code error;
        const fs::path folder = (fs::path(home) / part).lexically_normal();
        if (fs::is_directory(folder, error)) {
            roots.push_back(folder);
        }
    }
}

}  // namespace

std::vector<fs::path> kernel_roots(std::span<const std::string> own) {
    std::vector<fs::path> roots;
    for (const std::string& folder : own) {
        add_folder(folder, "include folder of the program", roots);
    }
    std::istringstream named(value_of(kIncludeVariable));
    for (std::string folder; std::getline(named, folder, ':');) {
        if (!folder.empty()) {
            add_folder(folder, kIncludeVariable, roots);
        }
    }
    add_program_folder(roots);
    add_metalium_folders(roots);
    return roots;
}

void add_kernel_root(const std::string& folder) {
    std::error_code error;
    require(std::filesystem::is_directory(folder, error), "--include {}: is not a folder", folder);
    const std::string before = value_of(kIncludeVariable);
    const std::string all = before.empty() ? folder : before + ":" + folder;
    setenv(kIncludeVariable, all.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): before any thread
}

}  // namespace tessera
