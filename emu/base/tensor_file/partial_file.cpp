// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/partial_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

constexpr int kMaxTemporaryNames = 1000;
constexpr std::string_view kPartial = ".partial-";

const char* kind_name(::mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR:
            return "a folder";
        case S_IFLNK:
            return "a symbolic link";
        case S_IFIFO:
            return "a FIFO";
        case S_IFSOCK:
            return "a socket";
        default:
            return "a device";
    }
}

/// A temporary name that a signal handler can read at any time. It has fixed memory: its thread
/// could free a string while the handler reads it on another thread.
struct Slot {
    enum State : int { Free, Held, Listed, Removed };
    std::atomic<int> state = Free;
    std::array<char, PATH_MAX> name{};
};

// A run writes its outputs, its trace and three files of a report; `kernel run` a folder with its run
// file and up to three kernels. If no slot is free, the file is left behind for the next run to
// remove.
std::array<Slot, 16> slots;
static_assert(std::atomic<int>::is_always_lock_free, "a signal's handler may not wait");

void list(const std::string& name) noexcept {
    for (Slot& slot : slots) {
        int expected = Slot::Free;
        if (name.size() < slot.name.size() &&
            slot.state.compare_exchange_strong(expected, Slot::Held)) {
            std::ranges::copy(name, slot.name.begin());
            slot.name[name.size()] = '\0';
            slot.state = Slot::Listed;
            return;
        }
    }
}

void strike(const std::string& name) noexcept {
    for (Slot& slot : slots) {
        int expected = Slot::Listed;
        if (slot.state == Slot::Listed && name == slot.name.data() &&
            slot.state.compare_exchange_strong(expected, Slot::Free)) {
            return;
        }
    }
}

/// Parses the process id in "<target>.partial-<pid>-<n>".
std::optional<::pid_t> maker_of(std::string_view name, std::string_view target) {
    if (!name.starts_with(target) || !name.substr(target.size()).starts_with(kPartial)) {
        return std::nullopt;
    }
    name.remove_prefix(target.size() + kPartial.size());
    const char* end = name.data() + name.size();
    ::pid_t pid = 0;
    int n = 0;
    const auto [dash, bad_pid] = std::from_chars(name.data(), end, pid);
    if (bad_pid != std::errc() || pid <= 0 || dash == end || *dash != '-') {
        return std::nullopt;
    }
    const auto [rest, bad_n] = std::from_chars(dash + 1, end, n);
    return bad_n == std::errc() && n >= 0 && rest == end ? std::optional(pid) : std::nullopt;
}

// A process id does not identify processes of another container, which may write to the same
// folder. Therefore a writer also holds a lock.
void remove_if_abandoned(const std::string& name) {
    const int fd = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
        ::unlink(name.c_str());
    }
    ::close(fd);
}

// Files that cannot be listed or removed are left; they do no harm.
void sweep_leftovers(const std::filesystem::path& path) {
    std::error_code error;
    const auto parent = path.parent_path();
    std::filesystem::directory_iterator entry(parent.empty() ? "." : parent, error);
    const std::string target = path.filename().string();
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const auto pid = maker_of(entry->path().filename().string(), target);
        std::error_code unknown;
        if (pid && ::kill(*pid, 0) != 0 && errno == ESRCH &&
            entry->symlink_status(unknown).type() == std::filesystem::file_type::regular) {
            remove_if_abandoned(entry->path().string());
        }
    }
}

}  // namespace

std::string obstacle_at(const std::filesystem::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        return errno == ENOENT ? "" : std::strerror(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return fmt::format("is {}", kind_name(status.st_mode));
    }
    // Every file is writable for root; its mode shows what its owner intends.
    constexpr ::mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH;
    if ((status.st_mode & kAnyWrite) == 0 || ::access(path.c_str(), W_OK) != 0) {
        return fmt::format("is read-only (mode {:04o})", status.st_mode & ALLPERMS);
    }
    return "";
}

void require_free(const std::filesystem::path& path) {
    const std::string obstacle = obstacle_at(path);
    require(obstacle.empty(), "{}: {}, allowed: a new name, or a regular file that may be written",
            path.string(), obstacle);
}

PartialFile::PartialFile(std::filesystem::path path) : path_(std::move(path)) {
    require_free(path_);
    sweep_leftovers(path_);
    for (int n = 0; fd_ < 0 && n < kMaxTemporaryNames; ++n) {
        temporary_ = fmt::format("{}{}{}-{}", path_.string(), kPartial, ::getpid(), n);
        fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        require(fd_ >= 0 || errno == EEXIST, "{}: cannot be created: {}", path_.string(),
                std::strerror(errno));
    }
    require(fd_ >= 0, "{}: all {} temporary names beside it are taken", path_.string(),
            kMaxTemporaryNames);
    list(temporary_.string());
    (void)::flock(fd_, LOCK_EX | LOCK_NB);  // no other process knows the file yet
}

PartialFile::~PartialFile() {
    if (fd_ >= 0) {
        ::close(fd_);
        remove();
    }
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)) {
}

void PartialFile::remove() noexcept {
    ::unlink(temporary_.c_str());
    strike(temporary_.native());
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
    require_free(path_);  // the situation may have changed during a long run
    const bool is_done =
        ::close(std::exchange(fd_, -1)) == 0 && ::rename(temporary_.c_str(), path_.c_str()) == 0;
    const int reason = errno;
    remove();
    require(is_done, "{}: cannot be written: {}", path_.string(), std::strerror(reason));
}

void list_as_partial(const std::filesystem::path& path) {
    list(path.string());
}

void remove_partial_files() noexcept {
    for (Slot& slot : slots) {
        int expected = Slot::Listed;
        if (slot.state.compare_exchange_strong(expected, Slot::Removed)) {
            ::unlink(slot.name.data());
        }
    }
    for (const Slot& slot : slots) {
        if (slot.state == Slot::Removed) {
            ::rmdir(slot.name.data());  // a folder, which unlink left
        }
    }
}

}  // namespace tessera
