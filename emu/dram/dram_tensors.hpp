// SPDX-License-Identifier: Apache-2.0
// Tracks which bytes of a device's DRAM banks are pages of tensors. A card accesses any address. A
// page index past a tensor's end therefore reads or overwrites another tensor's bytes without an
// error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/buffer.hpp"
#include "tessera/page_address.hpp"

namespace tessera {

/// Tensors in DRAM. The host changes them only between launches; kernels read them on many host
/// threads.
class DramTensors {
public:
    explicit DramTensors(std::uint32_t num_banks) : num_banks_(num_banks) {}

    /// Preconditions  `buffer` is in DRAM and has an address, which no other known tensor has;
    ///                `pages` are its pages.
    void add(const std::string& name, const Buffer& buffer, const PageMap& pages);
    /// Removes the tensor at an address, if there is one.
    void remove(std::uint64_t address);

    /// Returns whether [begin, begin + bytes) of a bank is in pages of one tensor. True for every
    /// range while no tensor is known: programs without allocations use their own addresses.
    [[nodiscard]] bool hold(std::uint32_t bank, std::uint64_t begin, std::uint64_t bytes) const;
    /// Describes, for a message, why a range is not in one tensor.
    [[nodiscard]] std::string explain(std::uint32_t bank, std::uint64_t begin,
                                      std::uint64_t bytes) const;

    /// Returns whether pages with this distance in a bank can be those of the tensor at an address:
    /// true unless an interleaved tensor with another distance begins there. A tensor with one page
    /// in a bank is memory that programs divide by their own rules, such as a workspace.
    [[nodiscard]] bool may_have_pages(std::uint64_t address, std::uint64_t distance) const;
    /// Describes the pages of the tensor at an address, for a message.
    /// Preconditions  a tensor begins there.
    [[nodiscard]] std::string explain_pages(std::uint64_t address) const;

private:
    struct Tensor {
        std::string name;
        std::uint64_t page = 0;  ///< distance between pages in a bank, in bytes
        std::uint32_t num_pages = 0;
        bool is_interleaved = true;
    };
    /// Returns the number of tensors that begin at or before `address`.
    [[nodiscard]] std::size_t count_to(std::uint64_t address) const;

    std::uint32_t num_banks_;
    std::vector<std::uint64_t> begins_;  ///< of the tensors, in order; equal in each bank
    std::vector<std::uint64_t> ends_;    ///< by (tensor, bank)
    std::vector<Tensor> tensors_;
};

}  // namespace tessera
