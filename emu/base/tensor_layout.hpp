// SPDX-License-Identifier: Apache-2.0
// Converts row-major values to the pages of a device tensor and back, without arithmetic.
// page_address maps pages to addresses. Number formats are never converted here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/tensor.hpp"

namespace tessera {

/// Converts page by page, so that a caller can write directly into a device's memory and distribute
/// the pages over threads. `pack` calls for different pages are independent. So are `unpack` calls,
/// which write disjoint elements.
class TensorLayout {
public:
    /// Errors   UsageError for block formats, whose values a host tensor cannot represent.
    explicit TensorLayout(const TensorSpec& spec);

    [[nodiscard]] std::uint32_t num_pages() const noexcept { return num_pages_; }
    [[nodiscard]] std::uint32_t page_size() const noexcept { return page_size_; }
    /// Returns the bytes of the logical shape, row-major, without padding.
    [[nodiscard]] std::uint64_t num_value_bytes() const noexcept { return value_bytes_; }

    /// Writes page `page_index` from the row-major values; tile padding becomes zeros.
    /// Errors   InternalError if a span has the wrong size or the page is out of range.
    void pack(std::span<const std::byte> values, std::uint32_t page_index,
              std::span<std::byte> page) const;

    /// Writes the logical elements of page `page_index` into the row-major values.
    /// Errors   as pack.
    void unpack(std::span<const std::byte> page, std::uint32_t page_index,
                std::span<std::byte> values) const;

private:
    /// Position of a page's elements among the values.
    struct Patch {
        std::uint64_t first_byte = 0;
        std::uint32_t rows = 0;
        std::uint32_t columns = 0;
    };
    [[nodiscard]] Patch patch_of(std::uint32_t page_index) const noexcept;
    void check(std::size_t values, std::uint32_t page_index, std::size_t page) const;

    Layout layout_;
    Tile tile_;
    std::uint32_t element_bytes_;
    std::uint32_t page_size_;
    std::uint32_t num_pages_;
    std::uint64_t value_bytes_;
    std::uint32_t rows_ = 1;     ///< per matrix
    std::uint32_t columns_ = 1;  ///< per matrix
    std::uint32_t tiles_down_ = 1;
    std::uint32_t tiles_across_ = 1;
};

}  // namespace tessera
