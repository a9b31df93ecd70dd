// SPDX-License-Identifier: Apache-2.0
#include "tessera/page_address.hpp"

#include <algorithm>

#include "emu/base/refusal.hpp"
#include "emu/base/round_up.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

const ShardSpec& checked_shard(const Buffer& buffer) {
    require(buffer.shard.has_value(), "PageMap: a sharded buffer at address {} has no shard spec",
            buffer.address);
    const ShardSpec& shard = *buffer.shard;
    require(shard.shard_shape.size() == 2 && shard.tensor_shape.size() == 2,
            "PageMap: shard and tensor shape have {} and {} dimensions; both need 2 (rows, columns "
            "in pages)",
            shard.shard_shape.size(), shard.tensor_shape.size());
    require_allowed(
        shard.shard_shape[0] > 0 && shard.shard_shape[1] > 0, "PageMap", "empty shard shape",
        fmt::format("({},{})", shard.shard_shape[0], shard.shard_shape[1]), "(1,1) or more");
    const std::uint64_t pages = std::uint64_t{shard.tensor_shape[0]} * shard.tensor_shape[1];
    require(pages == buffer.num_pages,
            "PageMap: tensor shape ({},{}) makes {} pages, but the buffer has {}",
            shard.tensor_shape[0], shard.tensor_shape[1], pages, buffer.num_pages);
    return shard;
}

}  // namespace

PageMap::PageMap(const Buffer& buffer, const BankLayout& banks)
    : type_(buffer.type),
      layout_(buffer.layout),
      address_(buffer.address),
      aligned_page_size_(buffer.aligned_page_size),
      num_pages_(buffer.num_pages) {
    require(aligned_page_size_ >= buffer.page_size,
            "PageMap: aligned page size {} is less than page size {}", aligned_page_size_,
            buffer.page_size);
    if (layout_ == TensorMemoryLayout::INTERLEAVED) {
        cores_ = type_ == BufferType::L1 ? banks.l1_banks : std::vector<CoreCoord>{};
        num_banks_ = type_ == BufferType::L1 ? static_cast<std::uint32_t>(cores_.size())
                                             : banks.num_dram_banks;
    } else {
        const ShardSpec& shard = checked_shard(buffer);
        cores_ = shard_cores(shard);
        num_banks_ = static_cast<std::uint32_t>(cores_.size());
        tensor_columns_ = shard.tensor_shape[1];
        shard_rows_ = shard.shard_shape[0];
        shard_columns_ = shard.shard_shape[1];
        shards_across_ = div_up(tensor_columns_, shard_columns_);
        num_shards_ = div_up(shard.tensor_shape[0], shard_rows_) * shards_across_;
    }
    require(num_banks_ > 0, "PageMap: a buffer of {} pages has no banks to lie in", num_pages_);
}

PageMap::Slot PageMap::interleaved_slot(std::uint32_t page_index) const noexcept {
    return {page_index % num_banks_, page_index / num_banks_};
}

PageMap::Slot PageMap::sharded_slot(std::uint32_t page_index) const noexcept {
    const std::uint32_t row = page_index / tensor_columns_;
    const std::uint32_t column = page_index % tensor_columns_;
    const std::uint32_t shard = row / shard_rows_ * shards_across_ + column / shard_columns_;
    const std::uint64_t volume = std::uint64_t{shard_rows_} * shard_columns_;
    const std::uint64_t inside =
        std::uint64_t{row % shard_rows_} * shard_columns_ + column % shard_columns_;
    return {shard % num_banks_, shard / num_banks_ * volume + inside};
}

PageLocation PageMap::locate(std::uint32_t page_index) const {
    require(page_index < num_pages_, "PageMap: page {} is beyond the buffer's {} pages", page_index,
            num_pages_);
    const bool is_interleaved = layout_ == TensorMemoryLayout::INTERLEAVED;
    const Slot slot = is_interleaved ? interleaved_slot(page_index) : sharded_slot(page_index);
    const std::uint64_t address = address_ + slot.place * aligned_page_size_;
    if (type_ == BufferType::L1) {
        return {type_, slot.bank, cores_[slot.bank], address};
    }
    return {type_, is_interleaved ? slot.bank : cores_[slot.bank].x, {}, address};
}

std::uint64_t PageMap::bytes_per_bank() const noexcept {
    if (layout_ == TensorMemoryLayout::INTERLEAVED) {
        return std::uint64_t{div_up(num_pages_, num_banks_)} * aligned_page_size_;
    }
    const std::uint64_t volume = std::uint64_t{shard_rows_} * shard_columns_;
    return div_up(num_shards_, num_banks_) * volume * aligned_page_size_;
}

std::uint64_t PageMap::bytes_in_bank(std::uint32_t bank) const noexcept {
    if (layout_ == TensorMemoryLayout::INTERLEAVED) {
        const std::uint32_t rows =
            num_pages_ / num_banks_ + (bank < num_pages_ % num_banks_ ? 1 : 0);
        return std::uint64_t{rows} * aligned_page_size_;
    }
    const auto slot =
        static_cast<std::uint32_t>(std::ranges::find(cores_, bank, &CoreCoord::x) - cores_.begin());
    if (slot >= num_banks_) {
        return 0;
    }
    const std::uint32_t shards =
        num_shards_ / num_banks_ + (slot < num_shards_ % num_banks_ ? 1 : 0);
    return std::uint64_t{shards} * shard_rows_ * shard_columns_ * aligned_page_size_;
}

PageLocation locate_page(const Buffer& buffer, const BankLayout& banks, std::uint32_t page_index) {
    return PageMap(buffer, banks).locate(page_index);
}

}  // namespace tessera
