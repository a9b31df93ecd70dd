// SPDX-License-Identifier: Apache-2.0
// Size, pages and formats of a circular buffer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "tt-metalium/base_types.hpp"
#include "tt-metalium/buffer.hpp"
#include "tt-metalium/circular_buffer_constants.h"
#include "tt-metalium/tile.hpp"

namespace tt::tt_metal {

/// One allocation in L1, shared by the indices that it lists. Setters return the configuration.
class CircularBufferConfig {
public:
    /// Sets total size and formats. `total_size` is in bytes; `formats` has the indices and their
    /// formats.
    CircularBufferConfig(std::uint32_t total_size,
                         const std::map<std::uint8_t, DataFormat>& formats)
        : total_size_(total_size), formats_(formats) {}
    explicit CircularBufferConfig(std::uint32_t total_size) : total_size_(total_size) {}
    /// Places the circular buffer over `buffer`.
    CircularBufferConfig(std::uint32_t total_size,
                         const std::map<std::uint8_t, DataFormat>& formats, const Buffer& buffer);

    CircularBufferConfig& set_page_size(std::uint8_t index, std::uint32_t page_size);
    CircularBufferConfig& set_total_size(std::uint32_t total_size);
    /// Places the circular buffer over a core's part of `buffer`, so that it takes no other L1.
    /// Errors   std::runtime_error if the buffer is not in L1.
    CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer);
    CircularBufferConfig& set_globally_allocated_address_and_total_size(const Buffer& buffer,
                                                                        std::uint32_t total_size);
    CircularBufferConfig& set_address_offset(std::uint32_t offset);
    CircularBufferConfig& set_tile_dims(std::uint8_t index, const Tile& tile);

    [[nodiscard]] std::uint32_t total_size() const { return total_size_; }
    [[nodiscard]] std::optional<std::uint32_t> globally_allocated_address() const {
        return address_;
    }
    [[nodiscard]] const std::map<std::uint8_t, DataFormat>& formats() const { return formats_; }
    [[nodiscard]] const std::map<std::uint8_t, std::uint32_t>& page_sizes_by_index() const {
        return page_sizes_;
    }
    [[nodiscard]] const std::map<std::uint8_t, Tile>& tiles_by_index() const { return tiles_; }

    [[nodiscard]] const std::map<std::uint8_t, std::uint32_t>& remote_page_sizes() const {
        return remote_page_sizes_;
    }

    enum class End : std::uint8_t { Local, Remote };
    /// Sets the parameters of one index, or the total size.
    class Builder {
    public:
        Builder(CircularBufferConfig& parent, std::uint8_t index, End end = End::Local)
            : parent_(&parent), index_(index), end_(end) {}
        const Builder& set_data_format(DataFormat format) const;
        const Builder& set_total_size(std::uint32_t total_size) const;
        const Builder& set_page_size(std::uint32_t page_size) const;
        const Builder& set_tile_dims(const Tile& tile) const;

    private:
        CircularBufferConfig* parent_;
        std::uint8_t index_;
        End end_;
    };
    [[nodiscard]] Builder index(std::uint8_t index) { return {*this, index}; }
    /// Returns the builder of the index under which kernels access a global circular buffer.
    [[nodiscard]] Builder remote_index(std::uint8_t index) { return {*this, index, End::Remote}; }

private:
    std::uint32_t total_size_ = 0;
    std::optional<std::uint32_t> address_;
    std::map<std::uint8_t, DataFormat> formats_;
    std::map<std::uint8_t, std::uint32_t> page_sizes_;
    std::map<std::uint8_t, Tile> tiles_;
    std::map<std::uint8_t, std::uint32_t> remote_page_sizes_;
};

}  // namespace tt::tt_metal
