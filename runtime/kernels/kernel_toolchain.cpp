// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_toolchain.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <span>
#include <sstream>

#include "runtime/kernels/child_process.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Names of the compiler of the plugin's version. Distributions with one version omit its number.
constexpr std::string_view kNumberedCompiler = "clang++-" TESSERA_CLANG_VERSION;
constexpr std::string_view kPlainCompiler = "clang++";
// Any linker works; lld is the fastest.
constexpr std::array<std::string_view, 3> kLinkers{"ld.lld-" TESSERA_CLANG_VERSION, "ld.lld", "ld"};

// Returns the first program with one of these names, or nothing.
fs::path find_program(std::string_view search_path, std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
        std::istringstream folders{std::string(search_path)};
        for (std::string folder; std::getline(folders, folder, ':');) {
            fs::path candidate = fs::path(folder) / name;
            if (access(candidate.c_str(), X_OK) == 0) {
                return candidate;
            }
        }
    }
    return {};
}

// A compiler without a number in its name may be of any version.
void require_version(const fs::path& compiler) {
    if (compiler.filename() != kPlainCompiler) {
        return;
    }
    const std::string version =
        run_process({compiler.string(), "-dumpversion"}, "its version").output;
    require(version.starts_with(TESSERA_CLANG_VERSION "."),
            "{} is version {}; allowed: {}, for which the compiler plugin was built",
            compiler.string(), version.substr(0, version.find_first_of("\n ")),
            TESSERA_CLANG_VERSION);
}

void require_tool(const fs::path& found, std::string_view name, std::string_view package) {
    require(!found.empty(),
            "{} is needed to compile kernels that are not built in, and is not on PATH; on Debian: "
            "apt-get install {}",
            name, package);
}

void require_part(const fs::path& folder, const char* file) {
    std::error_code error;
    require(fs::is_regular_file(folder / file, error), "{} not found in {}", file, folder.string());
}

}  // namespace

std::string KernelToolchain::compiler_identity() const {
    if (compiler.empty()) {
        return "";
    }
    const fs::path binary = fs::canonical(compiler);
    return fmt::format("{} {} {}", binary.string(), fs::file_size(binary),
                       fs::last_write_time(binary).time_since_epoch().count());
}

void KernelToolchain::require_complete() const {
    require_tool(compiler, kNumberedCompiler, "clang-" TESSERA_CLANG_VERSION);
    require_tool(linker, kLinkers.front(), "lld-" TESSERA_CLANG_VERSION);
    require_version(compiler);
    require_trusted(package.pass);
    require_part(package.include_dir, "tessera/kernel/standard_headers.hpp");
    require_part(package.metalium_dir, "api/dataflow/dataflow_api.h");
}

KernelToolchain find_kernel_toolchain(std::string_view search_path) {
    KernelToolchain toolchain;
    toolchain.compiler = find_program(search_path, std::array{kNumberedCompiler, kPlainCompiler});
    toolchain.linker = find_program(search_path, kLinkers);
    toolchain.package = find_package();
    std::istringstream flags(TESSERA_KERNEL_FLAGS);
    for (std::string flag; flags >> flag;) {
        toolchain.flags.push_back(flag);
    }
    return toolchain;
}

std::optional<fs::path> kernel_file(const std::string& path) {
    for (const fs::path& folder : {fs::path(), find_package().share_dir}) {
        std::error_code error;  // a name that is too long does not exist either
        if (fs::is_regular_file(folder / path, error)) {
            return folder / path;
        }
    }
    return std::nullopt;
}

fs::path find_kernel_file(const std::string& path, std::span<const fs::path> roots) {
    const auto file = kernel_file(path);
    if (file) {
        return *file;
    }
    std::string searched;
    for (const fs::path& root : roots) {
        std::error_code error;
        if (fs::is_regular_file(root / path, error)) {
            return root / path;
        }
        searched += root.string() + ", ";
    }
    throw UsageError(fmt::format("{} not found; searched ., {}{}", path, searched,
                                 find_package().share_dir.string()));
}

}  // namespace tessera
