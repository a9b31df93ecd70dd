// SPDX-License-Identifier: Apache-2.0
// An output file under a temporary name until it is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace tessera {

/// What stands in the way of a file of that name, as "is a FIFO", "is read-only (mode 0444)" or the
/// system's reason; empty if the name is free or that of a regular file that may be written.
/// A rename would replace anything at all: a device node, the link in place of what it points to.
[[nodiscard]] std::string obstacle_at(const std::filesystem::path& path);

/// Refuses it.
/// Errors   UsageError naming the path and the obstacle.
void require_free(const std::filesystem::path& path);

/// Until `finish` the file has the name `<path>.partial-<pid>-<n>`. One that is destroyed
/// unfinished removes it and leaves what was at `path` as it was. What processes that are gone left
/// under such names of the same path is removed.
class PartialFile {
public:
    /// Errors   UsageError if there is an obstacle at the path, or the temporary file cannot be
    ///          created.
    explicit PartialFile(std::filesystem::path path);
    ~PartialFile();
    PartialFile(PartialFile&& other) noexcept;
    PartialFile& operator=(PartialFile&&) = delete;
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    /// Errors   UsageError if the disk refuses.
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;

    /// Gives the file its name.
    /// Errors   UsageError if an obstacle has appeared there or the rename fails; InternalError at
    ///          a second call.
    void finish();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    void remove() noexcept;

    std::filesystem::path path_;
    std::filesystem::path temporary_;
    int fd_ = -1;
};

/// Removes the temporary files of this process that are not finished: for a handler of a signal
/// that ends it, hence async-signal-safe. The process must end then.
void remove_partial_files() noexcept;

}  // namespace tessera
