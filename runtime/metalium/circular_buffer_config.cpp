// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/circular_buffer_config.hpp"

#include "tessera/errors.hpp"

namespace tt::tt_metal {

using tessera::require;

CircularBufferConfig::CircularBufferConfig(std::uint32_t total_size,
                                           const std::map<std::uint8_t, DataFormat>& formats,
                                           const Buffer& buffer)
    : CircularBufferConfig(total_size, formats) {
    set_globally_allocated_address(buffer);
}

CircularBufferConfig& CircularBufferConfig::set_page_size(std::uint8_t index,
                                                          std::uint32_t page_size) {
    require(page_size != 0, "CircularBufferConfig: index {}: page size 0", index);
    page_sizes_[index] = page_size;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_total_size(std::uint32_t total_size) {
    total_size_ = total_size;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(const Buffer& buffer) {
    require(buffer.is_l1(), "CircularBufferConfig: a buffer in {}, allowed: buffers in L1",
            buffer.buffer_type());
    address_ = buffer.address();
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address_and_total_size(
    const Buffer& buffer, std::uint32_t total_size) {
    return set_globally_allocated_address(buffer).set_total_size(total_size);
}

CircularBufferConfig& CircularBufferConfig::set_address_offset(std::uint32_t offset) {
    require(address_.has_value(), "CircularBufferConfig: an offset without a buffer");
    *address_ += offset;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_tile_dims(std::uint8_t index, const Tile& tile) {
    tiles_.insert_or_assign(index, tile);
    return *this;
}

const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_data_format(
    DataFormat format) const {
    if (end_ == End::Local) {  // a remote buffer holds bytes
        parent_->formats_[index_] = format;
    }
    return *this;
}
const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_total_size(
    std::uint32_t total_size) const {
    parent_->set_total_size(total_size);
    return *this;
}
const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_page_size(
    std::uint32_t page_size) const {
    if (end_ == End::Remote) {
        require(page_size != 0, "CircularBufferConfig: remote index {}: page size 0", index_);
        parent_->remote_page_sizes_[index_] = page_size;
    } else {
        parent_->set_page_size(index_, page_size);
    }
    return *this;
}
const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_tile_dims(
    const Tile& tile) const {
    if (end_ == End::Local) {
        parent_->set_tile_dims(index_, tile);
    }
    return *this;
}

}  // namespace tt::tt_metal
