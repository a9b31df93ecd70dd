// SPDX-License-Identifier: Apache-2.0
#include "emu/base/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "emu/base/refusal.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

std::string_view file_kind_of(::mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR:
            return "is a folder";
        case S_IFCHR:
            return "is a character device";
        case S_IFBLK:
            return "is a block device";
        case S_IFIFO:
            return "is a pipe";
        default:
            return "is a socket";
    }
}

/// Waits until a pipe has bytes or has no writer.
void wait_for_bytes(int fd) {
    ::pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    (void)::poll(&ready, 1, -1);
}

/// Texts of pipes by device and inode. A pipe gives its bytes once, but a configuration is read
/// several times: as a run or sweep first, then for its values.
class PipeTexts {
public:
    std::string text_of(const InputFile& pipe, std::uint64_t most_bytes) {
        const std::scoped_lock lock(mutex_);
        struct stat status {};
        (void)::fstat(pipe.descriptor(), &status);
        const std::pair id(status.st_dev, status.st_ino);
        const auto known = texts_.find(id);
        if (known != texts_.end()) {
            return known->second;
        }
        return texts_.emplace(id, pipe.text(most_bytes)).first->second;
    }

private:
    std::mutex mutex_;
    std::map<std::pair<::dev_t, ::ino_t>, std::string> texts_;
};

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, Pipes pipes)
    : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    require(fd_ >= 0, "{}: cannot open: {}", path.string(), std::strerror(errno));
    struct stat status {};
    const bool is_known = ::fstat(fd_, &status) == 0;
    is_pipe_ = is_known && S_ISFIFO(status.st_mode);
    const bool is_regular = is_known && S_ISREG(status.st_mode);
    if (!is_regular && !(is_pipe_ && pipes == Pipes::Allowed)) {
        ::close(fd_);
        require_allowed(false, path.string(), "", file_kind_of(status.st_mode),
                        pipes == Pipes::Allowed ? "a regular file or a pipe" : "a regular file");
    }
    size_ = is_regular ? static_cast<std::uint64_t>(status.st_size) : 0;
}

InputFile::~InputFile() {
    ::close(fd_);
}

std::string InputFile::text(std::uint64_t most_bytes) const {
    std::string text;
    std::array<char, 65536> piece{};
    for (;;) {
        const ::ssize_t count = ::read(fd_, piece.data(), piece.size());
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
            wait_for_bytes(fd_);
            continue;
        }
        require(count >= 0, "{}: cannot read: {}", path_.string(), std::strerror(errno));
        if (count == 0) {
            break;
        }
        text.append(piece.data(), static_cast<std::size_t>(count));
        require(text.size() <= most_bytes && size_ <= most_bytes,
                "{}: is larger than {} bytes, the most that is allowed", path_.string(),
                most_bytes);
    }
    require(!is_pipe_ || !text.empty(), "{}: is a pipe without a writer", path_.string());
    return text;
}

std::string read_input(const std::filesystem::path& path, std::uint64_t most_bytes) {
    static PipeTexts pipes;
    const InputFile file(path, Pipes::Allowed);
    return file.is_pipe() ? pipes.text_of(file, most_bytes) : file.text(most_bytes);
}

}  // namespace tessera
