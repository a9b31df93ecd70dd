// SPDX-License-Identifier: Apache-2.0
// Opens files that the user names. A regular file is allowed, and a pipe with a writer if it is
// read once from start to end; the size of both is limited. Devices are refused, because they may
// be endless; a pipe without a writer is refused, because it may never get one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera {

enum class Pipes : std::uint8_t { Refused, Allowed };

/// An input file, open for reading. The destructor closes it.
class InputFile {
public:
    /// Opens the file without waiting for the writer of a pipe.
    /// Errors   UsageError with the path if it cannot be opened or is another kind of file.
    InputFile(const std::filesystem::path& path, Pipes pipes);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] int descriptor() const noexcept { return fd_; }
    /// Returns the bytes of a regular file; 0 for a pipe.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] bool is_pipe() const noexcept { return is_pipe_; }

    /// Reads to the end of the file.
    /// Errors   UsageError if it has more than `most_bytes`, is a pipe without a writer, or
    ///          cannot be read.
    [[nodiscard]] std::string text(std::uint64_t most_bytes) const;

private:
    std::filesystem::path path_;
    int fd_ = -1;
    bool is_pipe_ = false;
    std::uint64_t size_ = 0;
};

/// Returns the text of a file; see InputFile. The text of a pipe is kept: the next call for the
/// same pipe returns it again.
[[nodiscard]] std::string read_input(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace tessera
