// SPDX-License-Identifier: Apache-2.0
// An output file with a temporary name until it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace tessera {

/// Returns why a file of that name cannot be written: "is a FIFO", "is read-only (mode 0444)" or
/// the system's reason. Returns "" if the name is free or a writable regular file. A rename would
/// replace anything: a device node, or a link in place of its target.
[[nodiscard]] std::string obstacle_at(const std::filesystem::path& path);

/// Refuses a path with an obstacle.
/// Errors   UsageError naming the path and the obstacle.
void require_free(const std::filesystem::path& path);

/// Output file that is named `<path>.partial-<pid>-<n>` until `finish`. The destructor of an
/// unfinished file removes it and leaves `path` unchanged. The constructor removes files that ended
/// processes left under such names of the same path.
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

    /// Renames the file to its final name.
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

/// Lets remove_partial_files remove a temporary file, or a folder that is empty without such files.
void list_as_partial(const std::filesystem::path& path);

/// Removes the unfinished temporary files and folders of this process. Async-signal-safe, for a
/// signal handler that ends the process; the process must end afterwards.
void remove_partial_files() noexcept;

}  // namespace tessera
