// SPDX-License-Identifier: Apache-2.0
// The one rule for opening a file that the user names: a regular file or, if it is read once from
// begin to end, a pipe with a writer; of limited size. Devices may be endless, and the writer of a
// pipe may never come.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera {

enum class Pipes : std::uint8_t { Refused, Allowed };

/// An input file, open for reading; closes itself.
class InputFile {
public:
    /// Does not wait for the writer of a pipe.
    /// Errors   UsageError naming the path if it cannot be opened, or is another kind of file.
    InputFile(const std::filesystem::path& path, Pipes pipes);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] int descriptor() const noexcept { return fd_; }
    /// Bytes of a regular file; 0 for a pipe.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

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

/// The text of a file that is read once; see InputFile.
[[nodiscard]] std::string read_input(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace tessera
