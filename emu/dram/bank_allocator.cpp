// SPDX-License-Identifier: Apache-2.0
#include "emu/dram/bank_allocator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "emu/base/round_up.hpp"
#include "tessera/errors.hpp"

namespace tessera {

BankAllocator::BankAllocator(std::string memory, std::uint64_t low, std::uint64_t high,
                             std::uint64_t alignment, Growth growth, std::uint64_t gap)
    : memory_(std::move(memory)),
      low_(round_up(low, alignment)),
      high_(high / alignment * alignment),
      alignment_(alignment),
      growth_(growth),
      gap_(gap) {
}

std::uint64_t BankAllocator::allocate(const std::string& holder, std::uint64_t bytes) {
    const std::uint64_t size = std::max<std::uint64_t>(alignment_, round_up(bytes, alignment_));
    std::uint64_t address = 0;
    const bool is_found = growth_ == Growth::TopDown ? find_from_top(size, address)
                                                     : find_from_bottom(size, gap_, address) ||
                                                           find_from_bottom(size, 0, address);
    if (!is_found) {
        refuse(holder, size);
    }
    held_.emplace(address, Held{size, holder});
    return address;
}

void BankAllocator::deallocate(std::uint64_t address) {
    require(held_.erase(address) == 1, "{}: nothing is allocated at address {:#x}", memory_,
            address);
}

// When memory is short, buffers may use the gaps of other buffers.
bool BankAllocator::find_from_bottom(std::uint64_t bytes, std::uint64_t gap,
                                     std::uint64_t& address) const {
    std::uint64_t begin = low_;
    for (const auto& [held_address, held] : held_) {
        if (held_address >= begin + bytes + gap) {
            break;
        }
        begin = held_address + held.bytes + gap;
    }
    address = begin;
    return begin + bytes <= high_;
}

bool BankAllocator::find_from_top(std::uint64_t bytes, std::uint64_t& address) const {
    std::uint64_t end = high_;
    for (auto it = held_.rbegin(); it != held_.rend(); ++it) {
        const std::uint64_t held_end = it->first + it->second.bytes;
        if (end - held_end >= bytes) {
            break;
        }
        end = it->first;
    }
    if (end < low_ + bytes) {
        return false;
    }
    address = end - bytes;
    return true;
}

std::uint64_t BankAllocator::bytes_held() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& [address, held] : held_) {
        sum += held.bytes;
    }
    return sum;
}

std::uint64_t BankAllocator::lowest_held() const noexcept {
    return held_.empty() ? high_ : held_.begin()->first;
}

std::uint64_t BankAllocator::largest_free() const noexcept {
    std::uint64_t begin = low_;
    std::uint64_t largest = 0;
    for (const auto& [address, held] : held_) {
        largest = std::max(largest, address - begin);
        begin = address + held.bytes;
    }
    return std::max(largest, high_ - begin);
}

std::string BankAllocator::largest_holders(std::size_t count) const {
    std::vector<Held> holders;
    for (const auto& [address, held] : held_) {
        holders.push_back(held);
    }
    std::ranges::stable_sort(holders, std::greater<>{}, &Held::bytes);
    holders.resize(std::min(count, holders.size()));
    std::string text;
    for (const Held& held : holders) {
        text += fmt::format("{}{} {} B", text.empty() ? "" : ", ", held.holder, held.bytes);
    }
    return text.empty() ? "nothing" : text;
}

void BankAllocator::refuse(const std::string& holder, std::uint64_t bytes) const {
    const std::uint64_t free = largest_free();
    throw UsageError(fmt::format(
        "{}: {} needs {} B, but the largest free range has {} B ({} B missing); {} B of {} B are "
        "held by: {}",
        memory_, holder, bytes, free, bytes - free, bytes_held(), high_ - low_,
        largest_holders(5)));
}

}  // namespace tessera
