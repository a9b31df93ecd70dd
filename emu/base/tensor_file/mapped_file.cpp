// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

/// A descriptor that closes itself; the mapping outlives it.
class ReadDescriptor {
public:
    explicit ReadDescriptor(const std::filesystem::path& path)
        : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        require(fd_ >= 0, "{}: cannot open: {}", path.string(), std::strerror(errno));
    }
    ~ReadDescriptor() { ::close(fd_); }
    ReadDescriptor(const ReadDescriptor&) = delete;
    ReadDescriptor& operator=(const ReadDescriptor&) = delete;
    [[nodiscard]] int get() const noexcept { return fd_; }

private:
    int fd_;
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
    const ReadDescriptor file(path);
    struct stat status {};
    require(::fstat(file.get(), &status) == 0, "{}: cannot read its size: {}", path.string(),
            std::strerror(errno));
    require(S_ISREG(status.st_mode), "{}: not a regular file", path.string());
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) {
        return;
    }
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    require(start != MAP_FAILED, "{}: cannot map {} bytes: {}", path.string(), size,
            std::strerror(errno));
    bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) {
        ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

}  // namespace tessera
