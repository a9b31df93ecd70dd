// SPDX-License-Identifier: Apache-2.0
// An output file under a temporary name until it is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace tessera {

/// Until `finish` the file has the name `<path>.partial-<pid>-<n>`. One that is destroyed
/// unfinished removes it and leaves what was at `path` as it was.
class PartialFile {
public:
    /// Errors   UsageError if the temporary file cannot be created.
    explicit PartialFile(std::filesystem::path path);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    /// Errors   UsageError if the disk refuses.
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;

    /// Gives the file its name.
    /// Errors   UsageError if the rename fails; InternalError at a second call.
    void finish();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
    int fd_ = -1;
};

}  // namespace tessera
