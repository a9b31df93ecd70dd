// SPDX-License-Identifier: Apache-2.0
// Converts values of a host tensor to bytes of a device tensor's pages, and back. Block formats,
// whose elements share exponents, are float32 on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emu/base/tensor_layout.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// Returns the host's format for values of a device format: float32 for block formats, otherwise
/// the same.
[[nodiscard]] DataFormat host_format(DataFormat format) noexcept;

/// Codec of one tensor. Calls for different pages are independent.
class PageCodec {
public:
    explicit PageCodec(const TensorSpec& spec);

    [[nodiscard]] std::uint32_t num_pages() const noexcept { return layout_.num_pages(); }
    /// Writes page `page_index`; block formats are rounded as in the packer.
    void encode(std::span<const std::byte> values, std::uint32_t page_index,
                std::span<std::byte> page) const;
    /// Reads page `page_index` into the values of the whole tensor.
    void decode(std::span<const std::byte> page, std::uint32_t page_index,
                std::span<std::byte> values) const;

private:
    DataFormat format_;
    Tile tile_;
    TensorLayout layout_;  ///< layout of the host's format
};

}  // namespace tessera
