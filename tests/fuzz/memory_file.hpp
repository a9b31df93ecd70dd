// SPDX-License-Identifier: Apache-2.0
// A file in memory, for readers that take a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tessera::fuzz {

class MemoryFile {
public:
    MemoryFile(const std::uint8_t* bytes, std::size_t size) : file_(::memfd_create("input", 0)) {
        if (file_ < 0 || ::write(file_, bytes, size) != static_cast<ssize_t>(size)) {
            std::abort();
        }
    }
    ~MemoryFile() { ::close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] std::filesystem::path path() const {
        return "/proc/self/fd/" + std::to_string(file_);
    }

private:
    int file_;
};

}  // namespace tessera::fuzz
