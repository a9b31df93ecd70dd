// SPDX-License-Identifier: Apache-2.0
#include "emu/dram/dram_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr const char* kFormatHint = ": does the circular buffer have another format or page_size?";

}  // namespace

std::size_t DramTensors::count_to(std::uint64_t address) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_, address) - begins_.begin());
}

void DramTensors::add(const std::string& name, const Buffer& buffer, const PageMap& pages) {
    const auto at = static_cast<std::ptrdiff_t>(count_to(buffer.address));
    std::vector<std::uint64_t> ends;
    for (std::uint32_t bank = 0; bank < num_banks_; ++bank) {
        ends.push_back(buffer.address + pages.bytes_in_bank(bank));
    }
    begins_.insert(begins_.begin() + at, buffer.address);
    ends_.insert(ends_.begin() + at * num_banks_, ends.begin(), ends.end());
    tensors_.insert(tensors_.begin() + at, {name, buffer.aligned_page_size, buffer.num_pages,
                                            buffer.layout == TensorMemoryLayout::INTERLEAVED});
}

void DramTensors::remove(std::uint64_t address) {
    const auto found = std::ranges::lower_bound(begins_, address);
    if (found == begins_.end() || *found != address) {
        return;
    }
    const auto at = found - begins_.begin();
    begins_.erase(found);
    ends_.erase(ends_.begin() + at * num_banks_, ends_.begin() + (at + 1) * num_banks_);
    tensors_.erase(tensors_.begin() + at);
}

bool DramTensors::hold(std::uint32_t bank, std::uint64_t begin, std::uint64_t bytes) const {
    const std::size_t count = count_to(begin);
    return begins_.empty() ||
           (count > 0 && begin + bytes <= ends_[(count - 1) * num_banks_ + bank]);
}

std::string DramTensors::explain(std::uint32_t bank, std::uint64_t begin,
                                 std::uint64_t bytes) const {
    const std::size_t count = count_to(begin);
    if (count == 0) {
        return fmt::format("the first, {}, begins at {:#x}", tensors_.front().name,
                           begins_.front());
    }
    const Tensor& tensor = tensors_[count - 1];
    if (!tensor.is_interleaved) {
        return fmt::format("the one before, {}, ends at {:#x}", tensor.name,
                           ends_[(count - 1) * num_banks_ + bank]);
    }
    const std::uint64_t row = (begin + bytes - 1 - begins_[count - 1]) / tensor.page;
    const std::string hint =
        bytes > tensor.page
            ? fmt::format("; a page of {} has {} bytes{}", tensor.name, tensor.page, kFormatHint)
            : "";
    return fmt::format("they reach page {} of {}, which has {}{}", row * num_banks_ + bank,
                       tensor.name, tensor.num_pages, hint);
}

bool DramTensors::may_have_pages(std::uint64_t address, std::uint64_t distance) const {
    const std::size_t count = count_to(address);
    if (count == 0 || begins_[count - 1] != address) {
        return true;
    }
    const Tensor& tensor = tensors_[count - 1];
    return !tensor.is_interleaved || tensor.page == distance || tensor.num_pages <= num_banks_;
}

std::string DramTensors::explain_pages(std::uint64_t address) const {
    const Tensor& tensor = tensors_[count_to(address) - 1];
    return fmt::format("{} has {}{}", tensor.name, tensor.page, kFormatHint);
}

}  // namespace tessera
