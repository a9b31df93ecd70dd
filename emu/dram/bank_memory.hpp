// SPDX-License-Identifier: Apache-2.0
// The bytes of a device's DRAM banks, committed on touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/arch_spec.hpp"

namespace tessera {

/// Reserves every bank at once; untouched memory reads as zero and costs nothing.
class BankMemory {
public:
    /// Errors   UsageError if the host refuses.
    explicit BankMemory(const DramSpec& spec);
    ~BankMemory();
    BankMemory(const BankMemory&) = delete;
    BankMemory& operator=(const BankMemory&) = delete;

    /// First byte of a bank.  Preconditions  `bank` < number of banks.
    [[nodiscard]] std::byte* bank(std::uint32_t bank) const noexcept {
        return base_ + bank * bank_size_;
    }
    [[nodiscard]] std::uint32_t num_banks() const noexcept {
        return static_cast<std::uint32_t>(total_ / bank_size_);
    }
    [[nodiscard]] std::uint64_t bank_size() const noexcept { return bank_size_; }

    /// Notes that nobody looks at what [begin, begin + bytes) of each bank holds.
    void neglect(std::uint64_t begin, std::uint64_t bytes);
    /// Ends that for a range that begins there, if there is one.
    void heed(std::uint64_t begin);
    /// Whether a byte, of these banks or elsewhere, is in such a range.
    [[nodiscard]] bool is_neglected(const std::byte* byte) const noexcept;

private:
    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    std::byte* base_ = nullptr;
    std::uint64_t bank_size_ = 0;
    std::uint64_t total_ = 0;
    std::vector<Range> neglected_;  ///< of each bank, by begin
};

}  // namespace tessera
