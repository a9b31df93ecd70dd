// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/replicate.hpp"

#include <cstring>

#include "emu/dram/bank_memory.hpp"
#include "emu/dram/shared_pages.hpp"

namespace tessera {
namespace {

/// Smallest range that is shared. Mapping costs a few microseconds per bank and device, the time to
/// copy this many bytes.
constexpr std::uint64_t kLeastShared = 65536;

/// Returns the whole host pages of [address, address + bytes); banks start at host pages.
BankRange whole_pages(const BankRange& range) {
    const std::uint64_t page = SharedPages::page_size();
    const std::uint64_t first = (range.address + page - 1) / page * page;
    const std::uint64_t last = (range.address + range.bytes) / page * page;
    return {first, first < last ? last - first : 0};
}

void copy_edges(const std::byte* from, std::byte* to, const BankRange& range,
                const BankRange& whole) {
    const std::uint64_t end = range.address + range.bytes;
    const std::uint64_t whole_end = whole.address + whole.bytes;
    std::memcpy(to + range.address, from + range.address, whole.address - range.address);
    std::memcpy(to + whole_end, from + whole_end, end - whole_end);
}

}  // namespace

bool is_worth_sharing(const BankRange& range) noexcept {
    return whole_pages(range).bytes >= kLeastShared;
}

void replicate(std::span<BankMemory* const> memories, const BankRange& range) {
    const BankRange whole = whole_pages(range);
    BankMemory& first = *memories.front();
    for (std::uint32_t bank = 0; bank < first.num_banks(); ++bank) {
        const SharedPages pages(whole.bytes);
        std::memcpy(pages.bytes(), first.bank(bank) + whole.address, whole.bytes);
        for (BankMemory* memory : memories) {
            if (memory != &first) {
                copy_edges(first.bank(bank), memory->bank(bank), range, whole);
            }
            pages.show(0, whole.bytes, memory->bank(bank) + whole.address);
        }
    }
}

void stop_sharing(BankMemory& memory, const BankRange& range) {
    const BankRange whole = whole_pages(range);
    for (std::uint32_t bank = 0; bank < memory.num_banks(); ++bank) {
        show_zeros(memory.bank(bank) + whole.address, whole.bytes);
    }
}

}  // namespace tessera
