// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/artifact_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "runtime/kernels/content_hash.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

void publish(const fs::path& made, const fs::path& name) {
    std::error_code error;
    fs::rename(made, name, error);
    require(!error, "cannot write {} in the kernel cache: {}", name.string(), error.message());
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

}  // namespace

ArtifactCache::ArtifactCache(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    fs::create_directories(folder_, error);
    require(!error && access(folder_.c_str(), W_OK) == 0,
            "the kernel cache {} cannot be written; TESSERA_CACHE_DIR may name another folder",
            folder_.string());
}

std::optional<fs::path> ArtifactCache::find(std::string_view recipe) const {
    std::ifstream list(folder_ / (content_hash(recipe) + ".list"));
    std::string name;
    if (!std::getline(list, name) || !fs::exists(folder_ / name)) {
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
    const std::string list = list_of(dependencies);
    const std::string key = content_hash(recipe);
    const std::string name =
        content_hash(key + list) + made.extension().string();  // contents, hence never overwritten
    publish(made, folder_ / name);
    const fs::path draft = fresh_path(".list");
    std::ofstream(draft) << name << '\n' << list;
    publish(draft, folder_ / (key + ".list"));
    return folder_ / name;
}

fs::path ArtifactCache::fresh_path(std::string_view extension) const {
    static std::atomic<unsigned> count = 0;
    return folder_ / fmt::format("draft-{}-{}{}", getpid(), ++count, extension);
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
