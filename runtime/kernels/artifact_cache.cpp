// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/artifact_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "runtime/kernels/content_hash.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFileMode = 0600;
constexpr mode_t kFolderMode = 0700;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

[[noreturn]] void refuse_to_write(const fs::path& path) {
    throw UsageError(fmt::format(
        "cannot write {} in the kernel cache: {}; TESSERA_CACHE_DIR may name another folder",
        path.string(), std::strerror(errno)));
}

void publish(const fs::path& made, const fs::path& name) {
    // Compilers create files with the umask's mode.
    if (chmod(made.c_str(), kFileMode) != 0 || rename(made.c_str(), name.c_str()) != 0) {
        refuse_to_write(name);
    }
}

// One line per dependency: hash, space, path.
std::string list_of(std::span<const fs::path> dependencies) {
    std::string list;
    for (const fs::path& path : dependencies) {
        const auto hash = file_hash(path);
        require(hash.has_value(), "cannot read {}, which a kernel includes", path.string());
        list += fmt::format("{} {}\n", *hash, path.string());
    }
    return list;
}

bool is_current(const std::string& line) {
    const std::size_t space = line.find(' ');
    return space != std::string::npos && file_hash(line.substr(space + 1)) == line.substr(0, space);
}

// Returns whether a file is the user's own and not a link: another user may have placed it.
bool is_own_file(const fs::path& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & kOthersWrite) == 0;
}

bool is_sound_artifact(const fs::path& folder, const std::string& name) {
    const fs::path path = folder / name;
    // The list may have been changed to name a file elsewhere; an artifact is always beside it.
    return name.find('/') == std::string::npos && is_own_file(path) &&
           file_hash(path) == fs::path(name).stem().string();
}

// A group may share the folder of a cache, as home folders on a cluster; its files must not be
// shared.
void require_private(const fs::path& folder) {
    struct stat status {};
    // A cache that has all artifacts, as in a container, may be read-only; storing is refused
    // later.
    require(stat(folder.c_str(), &status) == 0,
            "the kernel cache {} cannot be written; TESSERA_CACHE_DIR may name another folder",
            folder.string());
    require(S_ISDIR(status.st_mode),
            "the kernel cache {} is not a folder; TESSERA_CACHE_DIR may name another",
            folder.string());
    const bool is_open = (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
    require(!is_open && (status.st_uid == geteuid() || status.st_uid == 0),
            "the kernel cache {} may be changed by others: it belongs to user {} and has mode "
            "{:04o}; allowed: a folder of yours that not everybody may write; TESSERA_CACHE_DIR "
            "may name another",
            folder.string(), status.st_uid, status.st_mode & 07777U);
}

// A process id is unique within one namespace of one host only; several hosts may use the folder.
std::string host_tag() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    std::error_code error;
    const fs::path space = fs::read_symlink("/proc/self/ns/pid", error);
    return content_hash(fmt::format("{} {}", host.data(), space.string())).substr(0, 8);
}

// draft-HOST-PROCESS-NUMBER
std::string draft_prefix() {
    static const std::string prefix = fmt::format("draft-{}-", host_tag());
    return prefix;
}

bool is_of_ended_process(const std::string& name) {
    if (!name.starts_with(draft_prefix())) {
        return false;
    }
    const pid_t process = std::atoi(name.c_str() + draft_prefix().size());
    return process > 0 && kill(process, 0) == -1 && errno == ESRCH;
}

void sweep_drafts(const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (is_of_ended_process(entry.path().filename().string())) {
            fs::remove_all(entry.path(), error);
        }
    }
}

bool make_folder(const fs::path& folder) {
    // The umask may remove even the owner's rights from the mode of mkdir.
    return mkdir(folder.c_str(), kFolderMode) == 0 && chmod(folder.c_str(), kFolderMode) == 0;
}

}  // namespace

ArtifactCache::ArtifactCache(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    fs::create_directories(fs::absolute(folder_).parent_path(), error);
    make_folder(folder_);
    require_private(folder_);
    sweep_drafts(folder_);
}

std::optional<fs::path> ArtifactCache::find(std::string_view recipe) const {
    const fs::path path = folder_ / (content_hash(recipe) + ".list");
    if (!is_own_file(path)) {
        return std::nullopt;
    }
    std::ifstream list(path);
    std::string name;
    if (!std::getline(list, name) || !is_sound_artifact(folder_, name)) {
        return std::nullopt;
    }
    for (std::string line; std::getline(list, line);) {
        if (!is_current(line)) {
            return std::nullopt;
        }
    }
    return folder_ / name;
}

fs::path ArtifactCache::store(std::string_view recipe, const fs::path& made,
                              std::span<const fs::path> dependencies) const {
    const DraftFolder drafts(*this);
    const auto hash = file_hash(made);
    require(hash.has_value(), "cannot read {}, which was to go into the kernel cache",
            made.string());
    const std::string name = *hash + made.extension().string();
    const std::string list = drafts.write("list", name + '\n' + list_of(dependencies));
    publish(made, folder_ / name);
    publish(list, folder_ / (content_hash(recipe) + ".list"));
    return folder_ / name;
}

fs::path ArtifactCache::make_draft_folder() const {
    static std::atomic<unsigned> count = 0;
    fs::path path;
    do {
        path = folder_ / fmt::format("{}{}-{}", draft_prefix(), getpid(), ++count);
        if (make_folder(path)) {
            return path;
        }
    } while (errno == EEXIST);
    refuse_to_write(path);
}

DraftFolder::~DraftFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string DraftFolder::write(std::string_view name, std::string_view text) const {
    std::string path = file(name);
    const int made = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
    if (made == -1 || fchmod(made, kFileMode) != 0) {
        refuse_to_write(path);
    }
    std::FILE* out = fdopen(made, "w");
    const bool is_written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
    if (std::fclose(out) != 0 || !is_written) {
        refuse_to_write(path);
    }
    return path;
}

fs::path default_cache_folder() {
    if (const char* folder = std::getenv("TESSERA_CACHE_DIR")) {
        return folder;
    }
    if (const char* caches = std::getenv("XDG_CACHE_HOME")) {
        return fs::path(caches) / "tessera";
    }
    const char* home = std::getenv("HOME");
    require(home != nullptr,
            "no folder for compiled kernels: set TESSERA_CACHE_DIR, XDG_CACHE_HOME or HOME");
    return fs::path(home) / ".cache" / "tessera";
}

}  // namespace tessera
