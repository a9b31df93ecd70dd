// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/device_pages.hpp"

#include "emu/mesh/device.hpp"

namespace tessera {

DevicePages::DevicePages(const Device& device, const Buffer& buffer)
    : device_(&device),
      map_(buffer, device.bank_layout()),
      page_size_(buffer.page_size),
      aligned_page_size_(buffer.aligned_page_size) {
}

std::byte* DevicePages::begin_of(std::uint32_t index) const {
    const PageLocation place = map_.locate(index);
    if (place.type == BufferType::DRAM) {
        return device_->dram.bank(place.bank) + place.address;
    }
    return device_->core(place.core).l1(static_cast<std::uint32_t>(place.address));
}

std::span<std::byte> DevicePages::page(std::uint32_t index) const {
    return {begin_of(index), page_size_};
}

std::span<std::byte> DevicePages::padded_page(std::uint32_t index) const {
    return {begin_of(index), aligned_page_size_};
}

}  // namespace tessera
