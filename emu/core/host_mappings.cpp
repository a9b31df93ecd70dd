// SPDX-License-Identifier: Apache-2.0
#include "emu/core/host_mappings.hpp"

#include <atomic>
#include <fstream>

namespace tessera {
namespace {

std::atomic<std::uint64_t> num_mappings = 0;

std::uint64_t max_map_count() {
    constexpr std::uint64_t kDefault = 65530;
    std::uint64_t count = 0;
    return std::ifstream("/proc/sys/vm/max_map_count") >> count ? count : kDefault;
}

}  // namespace

bool take_mappings(std::uint64_t count) {
    constexpr std::uint64_t kOthers = 4096;  // libraries, threads, DRAM
    static const std::uint64_t most = max_map_count();
    std::uint64_t taken = num_mappings.load();
    do {
        if (taken + count + kOthers > most) {
            return false;
        }
    } while (!num_mappings.compare_exchange_weak(taken, taken + count));
    return true;
}

void add_mappings(std::uint64_t count) noexcept {
    num_mappings += count;
}

void release_mappings(std::uint64_t count) noexcept {
    num_mappings -= count;
}

}  // namespace tessera
