// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/content_hash.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fstream>
#include <iterator>

namespace tessera {

std::string content_hash(std::string_view content) {
    const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
    std::error_code error;  // an endless device or a pipe cannot be read as a whole
    std::ifstream file;
    if (std::filesystem::is_regular_file(path, error)) {
        file.open(path, std::ios::binary);
    }
    if (!file.is_open()) {
        return std::nullopt;
    }
    // Read as one block: character by character took most of the time of a warm start.
    file.seekg(0, std::ios::end);
    const std::streamoff size = file.tellg();
    if (size < 0) {
        return std::nullopt;
    }
    std::string content(static_cast<std::size_t>(size), '\0');
    file.seekg(0);
    file.read(content.data(), size);
    content.resize(static_cast<std::size_t>(file.gcount()));
    return content;
}

std::optional<std::string> file_hash(const std::filesystem::path& path) {
    const auto content = read_file(path);
    return content ? std::optional(content_hash(*content)) : std::nullopt;
}

}  // namespace tessera
