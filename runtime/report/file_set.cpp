// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/file_set.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "emu/base/tensor_file/partial_file.hpp"
#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

namespace fs = std::filesystem;

// Returns the folder itself, or its nearest ancestor that exists.
fs::path nearest_that_exists(fs::path path) {
    std::error_code error;
    while (fs::symlink_status(path, error).type() == fs::file_type::not_found) {
        path = path.has_parent_path() ? path.parent_path() : fs::path(".");
    }
    return path;
}

void require_writable_folder(const fs::path& directory) {
    std::error_code error;
    const fs::path nearest = nearest_that_exists(directory);
    const bool is_folder = fs::is_directory(nearest, error);
    require(!error, "{}: {}", nearest.string(), error.message());
    require(is_folder, "{}: is not a folder", nearest.string());
    // In a statement of its own: arguments of one call may be evaluated before access() sets errno.
    const int reason = ::access(nearest.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
    require(reason == 0, "{}: no file can be created in it: {}", nearest.string(),
            std::strerror(reason));
}

}  // namespace

void require_places(const fs::path& directory, std::span<const std::string> names) {
    require_writable_folder(directory);
    for (const std::string& name : names) {
        require_free(directory / name);
    }
}

void write_together(const fs::path& directory, const std::vector<NamedText>& files) {
    require(!directory.empty(), "--report: the name is empty");
    std::error_code error;
    fs::create_directories(directory, error);
    require(!error, "{}: cannot be created: {}", directory.string(), error.message());
    std::vector<PartialFile> partials;
    partials.reserve(files.size());
    for (const NamedText& file : files) {
        partials.emplace_back(directory / file.name)
            .write_at(0, std::as_bytes(std::span(file.text)));
    }
    for (PartialFile& partial : partials) {
        partial.finish();
    }
}

}  // namespace tessera::report
