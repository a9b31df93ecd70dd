// SPDX-License-Identifier: Apache-2.0
#include "emu/base/host_memory.hpp"

#include <sys/resource.h>

#include <array>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKibibyte = 1024;

/// Returns the number after `key` in lines of "key number …".
std::optional<std::uint64_t> number_in(const fs::path& path, std::string_view key) {
    std::ifstream file(path);
    std::string word;
    std::uint64_t number = 0;
    for (std::string rest; file >> word; std::getline(file, rest)) {
        if (word == key) {
            return file >> number ? std::optional(number) : std::nullopt;
        }
    }
    return std::nullopt;
}

/// Returns the number in a file; nothing if the file says "max".
std::optional<std::uint64_t> number_of(const fs::path& path) {
    std::uint64_t number = 0;
    return std::ifstream(path) >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
    return limit - std::min(limit, used);
}

/// File names of one version of control groups.
struct GroupFiles {
    const char* mount;
    std::string_view line;  ///< in /proc/self/cgroup, from the first colon to the path
    const char* limit;
    const char* used;
    const char* cache;  ///< reclaimable file pages, in memory.stat
};

constexpr std::array kVersions{
    GroupFiles{"sys/fs/cgroup", ":", "memory.max", "memory.current", "inactive_file"},
    GroupFiles{"sys/fs/cgroup/memory", "memory:", "memory.limit_in_bytes", "memory.usage_in_bytes",
               "total_inactive_file"}};

// Finds "0::/user.slice" in version 2, "4:memory:/user.slice" in version 1.
std::optional<fs::path> group_path(const fs::path& root, const GroupFiles& files) {
    std::ifstream file(root / "proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::string_view behind = std::string_view(line).substr(line.find(':') + 1);
        if (behind.starts_with(files.line)) {
            return fs::path(behind.substr(files.line.size())).relative_path();
        }
    }
    return std::nullopt;
}

// A group's limit applies to all groups below it. In a container, the path may be the host's; then
// only the mount itself exists.
void bind_by_groups(const fs::path& root, const GroupFiles& files, HostMemory& memory) {
    std::optional<fs::path> path = group_path(root, files);
    while (path) {
        const fs::path group = root / files.mount / *path;
        const auto limit = number_of(group / files.limit);
        const auto used = number_of(group / files.used);
        if (limit && used) {
            const auto cache = number_in(group / "memory.stat", files.cache).value_or(0);
            const std::uint64_t left = difference(*limit, difference(*used, cache));
            if (left < memory.bytes) {
                memory = {left, "its control group"};
            }
        }
        path = path->empty() ? std::nullopt : std::optional(path->parent_path());
    }
}

void bind_by_limit(const fs::path& root, __rlimit_resource resource, std::string_view used,
                   const char* name, HostMemory& memory) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return;
    }
    const std::uint64_t kibibytes = number_in(root / "proc/self/status", used).value_or(0);
    const std::uint64_t left = difference(limit.rlim_cur, kibibytes * kKibibyte);
    if (left < memory.bytes) {
        memory = {left, name};
    }
}

}  // namespace

HostMemory host_memory_available(const fs::path& root) {
    HostMemory memory{std::numeric_limits<std::uint64_t>::max(), "the host"};
    if (const auto kibibytes = number_in(root / "proc/meminfo", "MemAvailable:")) {
        memory.bytes = *kibibytes * kKibibyte;
    }
    for (const GroupFiles& files : kVersions) {
        bind_by_groups(root, files, memory);
    }
    bind_by_limit(root, RLIMIT_AS, "VmSize:", "ulimit -v", memory);
    bind_by_limit(root, RLIMIT_DATA, "VmData:", "ulimit -d", memory);
    return memory;
}

std::string show_bytes(std::uint64_t bytes) {
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto number = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; number >= 1024 && unit + 1 < kUnits.size(); ++unit) {
        number /= 1024;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", number, kUnits[unit]);
}

void require_host_memory(std::uint64_t bytes, const std::string& what, const std::string& remedy) {
    const HostMemory memory = host_memory_available();
    require(bytes <= memory.bytes, "{} take {} of the host's memory, but {} leaves {}; {}", what,
            show_bytes(bytes), memory.bound, show_bytes(memory.bytes), remedy);
}

std::uint64_t peak_memory() {
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0
               ? static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte
               : 0;
}

}  // namespace tessera
