// SPDX-License-Identifier: Apache-2.0
// The bytes of a device's DRAM banks, committed on first access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/arch_spec.hpp"

namespace tessera {

/// Reserves every bank at once. Untouched memory reads as zero and uses no host memory.
class BankMemory {
public:
    /// Errors   UsageError if the host refuses.
    explicit BankMemory(const DramSpec& spec);
    ~BankMemory();
    BankMemory(const BankMemory&) = delete;
    BankMemory& operator=(const BankMemory&) = delete;

    /// Returns the first byte of a bank. Preconditions `bank` < number of banks.
    [[nodiscard]] std::byte* bank(std::uint32_t bank) const noexcept {
        return base_ + bank * bank_size_;
    }
    [[nodiscard]] std::uint32_t num_banks() const noexcept {
        return static_cast<std::uint32_t>(total_ / bank_size_);
    }
    [[nodiscard]] std::uint64_t bank_size() const noexcept { return bank_size_; }

    /// Marks [begin, begin + bytes) of each bank as unused: nothing reads its contents.
    void neglect(std::uint64_t begin, std::uint64_t bytes);
    /// Removes the mark of the range that begins there, if there is one.
    void heed(std::uint64_t begin);
    /// Returns whether a byte, of these banks or elsewhere, is in a marked range.
    [[nodiscard]] bool is_neglected(const std::byte* byte) const noexcept;

private:
    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    std::byte* base_ = nullptr;
    std::uint64_t bank_size_ = 0;
    std::uint64_t total_ = 0;
    std::vector<Range> neglected_;  ///< the same in each bank, by begin
};

}  // namespace tessera
