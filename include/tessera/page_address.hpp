// SPDX-License-Identifier: Apache-2.0
// Bank and address of each page of a buffer. Host reads and writes and the kernels' address
// generators share this rule. Bank offsets and NoC coordinates belong to the device.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/arch_spec.hpp"
#include "tessera/buffer.hpp"
#include "tessera/core_coord.hpp"

namespace tessera {

/// Banks over which pages are distributed.
struct BankLayout {
    std::uint32_t num_dram_banks = 0;
    std::vector<CoreCoord> l1_banks;  ///< logical core of each L1 bank
};

/// Returns the DRAM banks of a device, and its worker cores in the shuffled order of L1 banks.
[[nodiscard]] BankLayout make_bank_layout(const ArchSpec& arch);

/// Returns the logical core of each L1 bank of a grid: core i, counted row by row, is bank
/// shuffle(0, 1, …)[i]. The shuffle is libstdc++'s std::shuffle with std::default_random_engine(0),
/// reimplemented here so that every standard library gives the same order.
/// Source   tt-metal tt_metal/impl/allocator/l1_banking_allocator.cpp.
[[nodiscard]] std::vector<CoreCoord> l1_bank_order(GridSize grid);

/// Location of a page. `core` is the logical core for L1 and unset for DRAM.
struct PageLocation {
    BufferType type = BufferType::DRAM;
    std::uint32_t bank = 0;  ///< DRAM bank, L1 bank, or index of the shard's core
    CoreCoord core;
    std::uint64_t address = 0;  ///< inside the bank, without the bank's own offset
    friend bool operator==(const PageLocation&, const PageLocation&) = default;
};

/// Locates the pages of one buffer.
///
/// Interleaved: page i is in bank i mod banks, at address + (i / banks) · aligned page size.
/// Sharded: a page is on its shard's core. Shards of one core are consecutive. Pages are row-major
/// inside a shard; rows of a partial shard have the stride of a whole one.
class PageMap {
public:
    /// Errors   UsageError if the page size or the number of banks is 0, or the shard spec is
    ///          missing, empty, not of rank 2, or not of the buffer's size.
    PageMap(const Buffer& buffer, const BankLayout& banks);

    /// Returns the location of a page.
    /// Errors   UsageError if `page_index` is past the buffer's end.
    [[nodiscard]] PageLocation locate(std::uint32_t page_index) const;

    [[nodiscard]] std::uint32_t num_banks() const noexcept { return num_banks_; }
    /// Returns the bytes that the buffer occupies in each bank, from its address on.
    [[nodiscard]] std::uint64_t bytes_per_bank() const noexcept;
    /// Returns the bytes of one DRAM bank that the buffer's pages occupy: up to the bank's last
    /// page, and 0 if the bank has no shard.
    /// Precondition   the buffer is in DRAM.
    [[nodiscard]] std::uint64_t bytes_in_bank(std::uint32_t bank) const noexcept;

private:
    struct Slot {
        std::uint32_t bank = 0;
        std::uint64_t place = 0;  ///< distance from the buffer's start, in pages
    };
    [[nodiscard]] Slot interleaved_slot(std::uint32_t page_index) const noexcept;
    [[nodiscard]] Slot sharded_slot(std::uint32_t page_index) const noexcept;

    BufferType type_;
    TensorMemoryLayout layout_;
    std::uint32_t address_;
    std::uint32_t aligned_page_size_;
    std::uint32_t num_pages_;
    std::uint32_t num_banks_ = 0;
    std::vector<CoreCoord> cores_;  ///< cores of L1 banks or of shards
    std::uint32_t tensor_columns_ = 1;
    std::uint32_t shard_rows_ = 1;
    std::uint32_t shard_columns_ = 1;
    std::uint32_t shards_across_ = 1;
    std::uint32_t num_shards_ = 1;
};

/// Returns PageMap(buffer, banks).locate(page_index), for a single look-up.
[[nodiscard]] PageLocation locate_page(const Buffer& buffer, const BankLayout& banks,
                                       std::uint32_t page_index);

}  // namespace tessera
