// SPDX-License-Identifier: Apache-2.0
// Maps the pages of a device tensor to bytes of the emulated memories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/page_address.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

class Device;

/// Pages of one device tensor.
class DevicePages {
public:
    DevicePages(const Device& device, const Buffer& buffer);

    /// Returns the bytes of a page without the padding after it.
    [[nodiscard]] std::span<std::byte> page(std::uint32_t index) const;
    /// Returns the bytes of a page with the padding up to the next page.
    [[nodiscard]] std::span<std::byte> padded_page(std::uint32_t index) const;

private:
    [[nodiscard]] std::byte* begin_of(std::uint32_t index) const;

    const Device* device_;
    PageMap map_;
    std::uint32_t page_size_;
    std::uint32_t aligned_page_size_;
};

}  // namespace tessera
