// SPDX-License-Identifier: Apache-2.0
// Values of a host tensor to the bytes of a device tensor's pages and back. Block formats, whose
// elements share exponents, are float32 on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emu/base/tensor_layout.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// The format in which the host holds values of a device format: float32 for block formats, else
/// the same.
[[nodiscard]] DataFormat host_format(DataFormat format) noexcept;

/// Calls for different pages are independent.
class PageCodec {
public:
    explicit PageCodec(const TensorSpec& spec);

    [[nodiscard]] std::uint32_t num_pages() const noexcept { return layout_.num_pages(); }
    /// Writes page `page_index`; a block format rounds as the packer does it.
    void encode(std::span<const std::byte> values, std::uint32_t page_index,
                std::span<std::byte> page) const;
    void decode(std::span<const std::byte> page, std::uint32_t page_index,
                std::span<std::byte> values) const;

private:
    DataFormat format_;
    Tile tile_;
    TensorLayout layout_;  ///< of the host's format
};

}  // namespace tessera
