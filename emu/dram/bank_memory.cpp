// SPDX-License-Identifier: Apache-2.0
#include "emu/dram/bank_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "tessera/errors.hpp"

namespace tessera {

BankMemory::BankMemory(const DramSpec& spec)
    : bank_size_(spec.bank_size.value), total_(spec.num_banks * spec.bank_size.value) {
    void* memory = mmap(nullptr, total_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(
        memory != MAP_FAILED,
        "the host cannot reserve {} bytes of address space for a device's DRAM: {}; is it limited "
        "(ulimit -v or -d)?",
        total_, std::strerror(errno));
    base_ = static_cast<std::byte*>(memory);
}

BankMemory::~BankMemory() {
    munmap(base_, total_);
}

void BankMemory::neglect(std::uint64_t begin, std::uint64_t bytes) {
    heed(begin);
    const auto behind = std::ranges::upper_bound(neglected_, begin, {}, &Range::begin);
    neglected_.insert(behind, {begin, begin + bytes});
}

void BankMemory::heed(std::uint64_t begin) {
    std::erase_if(neglected_, [begin](const Range& range) { return range.begin == begin; });
}

bool BankMemory::is_neglected(const std::byte* byte) const noexcept {
    if (byte < base_ || byte >= base_ + total_) {
        return false;
    }
    const std::uint64_t at = static_cast<std::uint64_t>(byte - base_) % bank_size_;
    const auto behind = std::ranges::upper_bound(neglected_, at, {}, &Range::begin);
    return behind != neglected_.begin() && at < std::prev(behind)->end;
}

}  // namespace tessera
