// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/partial_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

constexpr int kMaxTemporaryNames = 1000;

}  // namespace

PartialFile::PartialFile(std::filesystem::path path) : path_(std::move(path)) {
    for (int n = 0; fd_ < 0 && n < kMaxTemporaryNames; ++n) {
        temporary_ = fmt::format("{}.partial-{}-{}", path_.string(), ::getpid(), n);
        fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        require(fd_ >= 0 || errno == EEXIST, "{}: cannot create {}: {}", path_.string(),
                temporary_.filename().string(), std::strerror(errno));
    }
    require(fd_ >= 0, "{}: all {} temporary names beside it are taken", path_.string(),
            kMaxTemporaryNames);
}

PartialFile::~PartialFile() {
    if (fd_ >= 0) {
        ::close(fd_);
        ::unlink(temporary_.c_str());
    }
}

void PartialFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const ::ssize_t count =
            ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<::off_t>(offset));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        require(count > 0, "{}: cannot write {} bytes at {}: {}", path_.string(), bytes.size(),
                offset, std::strerror(errno));
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
}

void PartialFile::finish() {
    ensure(fd_ >= 0, "PartialFile: {} is already finished", path_.string());
    const bool is_done =
        ::close(std::exchange(fd_, -1)) == 0 && ::rename(temporary_.c_str(), path_.c_str()) == 0;
    if (!is_done) {
        const int reason = errno;
        ::unlink(temporary_.c_str());
        throw UsageError(fmt::format("{}: cannot give {} this name: {}", path_.string(),
                                     temporary_.filename().string(), std::strerror(reason)));
    }
}

}  // namespace tessera
