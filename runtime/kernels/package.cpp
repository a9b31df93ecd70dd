// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/package.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPass = "tessera_kernel_pass.so";
constexpr const char* kProgram = "/proc/self/exe";

// The program or shared library with this code, in the dynamic linker's form.
const link_map* own_link_map() {
    Dl_info own{};
    void* map = nullptr;
    const auto* here = reinterpret_cast<const void*>(&own_link_map);
    return dladdr1(here, &own, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map*>(map)
                                                           : nullptr;
}

fs::path folder_of(const link_map& object) {
    std::error_code error;
    const fs::path program = fs::read_symlink(kProgram, error);
    return (*object.l_name == '\0' ? program : fs::path(object.l_name)).parent_path();
}

// DT_RUNPATH holds the linker's -rpath. It depends on how a program was linked, and neither on the
// program's path nor on the environment.
std::string run_path_text(const link_map& object) {
    const char* strings = nullptr;
    std::size_t offset = 0;
    for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) {
            strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        } else if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH) {
            offset = entry->d_un.d_val;
        }
    }
    return strings != nullptr && offset != 0 ? strings + offset : "";
}

std::vector<fs::path> own_run_path() {
    const link_map* object = own_link_map();
    if (object == nullptr) {
        return {};
    }
    std::vector<fs::path> folders;
    std::istringstream text(run_path_text(*object));
    const std::string origin = "$ORIGIN";
    for (std::string folder; std::getline(text, folder, ':');) {
        if (folder.starts_with(origin)) {
            folder.replace(0, origin.size(), folder_of(*object).string());
        }
        folders.push_back(fs::path(folder).lexically_normal());
    }
    return folders;
}

Package installed_at(const fs::path& prefix) {
    return {.pass = prefix / TESSERA_LIBDIR / "tessera" / kPass,
            .include_dir = prefix / "include",
            .metalium_dir = prefix / "include" / "tessera" / "metalium",
            .share_dir = prefix / "share" / "tessera"};
}

// A wrong TESSERA_HOME is an error and not skipped, since the user set it on purpose.
Package package_at_home(const fs::path& home) {
    require(home.is_absolute(), "TESSERA_HOME={}: allowed: an absolute path", home.string());
    Package package = installed_at(home);
    std::error_code error;
    for (const fs::path& part : {package.pass, package.include_dir, package.share_dir}) {
        require(fs::exists(part, error), "TESSERA_HOME={}: there is no {}", home.string(),
                part.string());
    }
    return package;
}

struct stat status_of(const fs::path& path) {
    struct stat status {};
    require(stat(path.c_str(), &status) == 0, "the compiler plugin {} cannot be used: {}: {}",
            path.string(), path.string(), std::strerror(errno));
    return status;
}

void require_trusted_owner(const fs::path& plugin, uid_t owner) {
    struct stat program {};
    const bool has_program = stat(kProgram, &program) == 0;
    require(owner == 0 || owner == geteuid() || (has_program && owner == program.st_uid),
            "the compiler plugin {} belongs to user {}; allowed: root, you or the owner of this "
            "program",
            plugin.string(), owner);
}

}  // namespace

Package package_on(const std::vector<fs::path>& run_path) {
    const std::string end = fmt::format("/{}/tessera", TESSERA_LIBDIR);
    for (const fs::path& folder : run_path) {
        const std::string name = folder.string();
        if (name.starts_with('/') && name.ends_with(end)) {
            return installed_at(name.substr(0, name.size() - end.size()));
        }
    }
    return {};
}

Package find_package() {
    // A set-user-ID program must not load files that its caller names.
    if (const char* home = secure_getenv("TESSERA_HOME"); home != nullptr && *home != '\0') {
        return package_at_home(home);
    }
    if (Package linked = package_on(own_run_path()); !linked.pass.empty()) {
        return linked;
    }
    std::error_code error;
    if (fs::is_regular_file(TESSERA_BUILT_PASS, error)) {
        return {.pass = TESSERA_BUILT_PASS,
                .include_dir = fs::path(TESSERA_SOURCE_DIR) / "include",
                .metalium_dir = TESSERA_METALIUM_DIR,
                .share_dir = TESSERA_SOURCE_DIR};
    }
    return installed_at(TESSERA_PREFIX);
}

// In a folder that everybody may write, everybody can replace the files below it. In a sticky
// folder such as /tmp, only a file's owner can.
void require_trusted(const fs::path& plugin) {
    const struct stat file = status_of(plugin);
    require_trusted_owner(plugin, file.st_uid);
    for (fs::path place = plugin;; place = place.parent_path()) {
        const mode_t mode = place == plugin ? file.st_mode : status_of(place).st_mode;
        const bool is_shared = (mode & S_IWOTH) != 0 && (!S_ISDIR(mode) || (mode & S_ISVTX) == 0);
        require(!is_shared,
                "the compiler plugin {} is not used: everybody may write {} (mode {:04o})",
                plugin.string(), place.string(), mode & 07777U);
        if (place == place.root_path()) {
            return;
        }
    }
}

}  // namespace tessera
