// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/host_memory.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace tessera::sweep {
namespace {

constexpr std::uint64_t kKibibyte = 1024;

}  // namespace

std::uint64_t peak_memory() {
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0
               ? static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte
               : 0;
}

std::uint64_t available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t kibibytes = 0;
    for (std::string rest; file >> key >> kibibytes; std::getline(file, rest)) {
        if (key == "MemAvailable:") {
            return kibibytes * kKibibyte;
        }
    }
    return 0;
}

}  // namespace tessera::sweep
