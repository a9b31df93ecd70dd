// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_toolchain.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

#include "runtime/kernels/content_hash.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path find_program(std::string_view search_path, std::string_view name,
                      std::string_view package) {
    std::istringstream folders{std::string(search_path)};
    for (std::string folder; std::getline(folders, folder, ':');) {
        fs::path candidate = fs::path(folder) / name;
        if (access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    throw UsageError(fmt::format(
        "{} is needed to compile kernels that are not built in, and is not on PATH; on Debian: "
        "apt-get install {}",
        name, package));
}

// The folder above bin/ of an installed program.
fs::path program_prefix() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

fs::path first_with(const fs::path& file, const std::vector<fs::path>& folders) {
    std::string searched;
    for (const fs::path& folder : folders) {
        if (fs::is_regular_file(folder / file)) {
            return folder;
        }
        searched += (searched.empty() ? "" : ", ") + (folder.empty() ? "." : folder.string());
    }
    throw UsageError(fmt::format("{} not found; searched {}", file.string(), searched));
}

fs::path find_pass() {
    const fs::path name = "tessera_kernel_pass.so";
    return first_with(name, {program_prefix() / TESSERA_LIBDIR / "tessera",
                             fs::path(TESSERA_BUILT_PASS).parent_path(),
                             fs::path(TESSERA_PREFIX) / TESSERA_LIBDIR / "tessera"}) /
           name;
}

}  // namespace

std::string KernelToolchain::identity() const {
    const fs::path binary = fs::canonical(compiler);
    return fmt::format("{} {} {} {}", binary.string(), fs::file_size(binary),
                       fs::last_write_time(binary).time_since_epoch().count(),
                       file_hash(pass).value_or("?"));
}

KernelToolchain find_kernel_toolchain(std::string_view search_path) {
    KernelToolchain toolchain;
    toolchain.compiler = find_program(search_path, "clang++-14", "clang-14");
    toolchain.linker = find_program(search_path, "ld.lld-14", "lld-14");
    toolchain.pass = find_pass();
    toolchain.include_dir =
        first_with("tessera/kernel/standard_headers.hpp",
                   {program_prefix() / "include", fs::path(TESSERA_SOURCE_DIR) / "include",
                    fs::path(TESSERA_PREFIX) / "include"});
    toolchain.metalium_dir =
        first_with("api/dataflow/dataflow_api.h",
                   {program_prefix() / "include" / "tessera" / "metalium", TESSERA_METALIUM_DIR,
                    fs::path(TESSERA_PREFIX) / "include" / "tessera" / "metalium"});
    std::istringstream flags(TESSERA_KERNEL_FLAGS);
    for (std::string flag; flags >> flag;) {
        toolchain.flags.push_back(flag);
    }
    return toolchain;
}

fs::path find_kernel_file(const std::string& path) {
    return first_with(path, {"", TESSERA_SOURCE_DIR, program_prefix() / "share" / "tessera",
                             fs::path(TESSERA_PREFIX) / "share" / "tessera"}) /
           path;
}

}  // namespace tessera
