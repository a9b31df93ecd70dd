// SPDX-License-Identifier: Apache-2.0
// A file's bytes in memory: read only, loaded on first access.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace tessera {

class MappedFile {
public:
    /// Errors   UsageError if the path cannot be opened, is not a regular file or cannot be mapped.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace tessera
