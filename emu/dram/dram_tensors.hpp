// SPDX-License-Identifier: Apache-2.0
// Knows which bytes of a device's DRAM banks are pages of tensors. A card moves whatever lies
// there, so a page index past a tensor's end reads a stranger's bytes, or destroys them, without a
// word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/buffer.hpp"
#include "tessera/page_address.hpp"

namespace tessera {

/// Changed by the host between launches only; kernels on many host threads look up.
class DramTensors {
public:
    explicit DramTensors(std::uint32_t num_banks) : num_banks_(num_banks) {}

    /// Preconditions  a DRAM buffer that has its address, which no other that is known has, and its
    ///                pages.
    void add(const std::string& name, const Buffer& buffer, const PageMap& pages);
    /// Forgets the tensor at an address, if there is one.
    void remove(std::uint64_t address);

    /// Returns whether [begin, begin + bytes) of a bank lies in pages of one tensor. True of every
    /// range while no tensor is known: whoever allocates none places data by addresses of its own.
    [[nodiscard]] bool hold(std::uint32_t bank, std::uint64_t begin, std::uint64_t bytes) const;
    /// Says, for a message, what is wrong with a range that is not held.
    [[nodiscard]] std::string explain(std::uint32_t bank, std::uint64_t begin,
                                      std::uint64_t bytes) const;

private:
    struct Tensor {
        std::string name;
        std::uint64_t page = 0;  ///< bytes from one page of a bank to the next
        std::uint32_t num_pages = 0;
        bool is_interleaved = true;
    };
    /// Returns how many tensors begin at `address` or before.
    [[nodiscard]] std::size_t count_to(std::uint64_t address) const;

    std::uint32_t num_banks_;
    std::vector<std::uint64_t> begins_;  ///< of the tensors, in order; the same in each bank
    std::vector<std::uint64_t> ends_;    ///< by (tensor, bank)
    std::vector<Tensor> tensors_;
};

}  // namespace tessera
