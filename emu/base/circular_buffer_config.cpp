// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "emu/base/refusal.hpp"
#include "tessera/buffer.hpp"
#include "tessera/errors.hpp"
#include "tessera/page_address.hpp"
#include "tessera/program.hpp"

namespace tessera {
namespace {

// The largest number of CBs of any modelled core; the launcher checks the device's own number.
constexpr std::uint32_t kMaxCircularBuffers = 64;

void require_index(const CircularBufferConfig& config, std::uint8_t index, const char* function) {
    require(config.formats.contains(index),
            "CircularBufferConfig::{}: index {} has no format in this config", function, index);
}

void require_free_index(const CircularBufferDescription& present, std::uint8_t index,
                        const std::vector<CoreCoord>& cores) {
    if (!present.config.formats.contains(index)) {
        return;
    }
    for (const CoreCoord& core : cores) {
        require(!present.cores.contains(core),
                "CreateCircularBuffer: index {} is already taken on core {}; an index belongs to "
                "one circular buffer per core",
                index, core);
    }
}

}  // namespace

CircularBufferConfig::CircularBufferConfig(std::uint32_t size,
                                           std::map<std::uint8_t, DataFormat> index_formats)
    : total_size(size), formats(std::move(index_formats)) {
    require(total_size > 0, "CircularBufferConfig: total_size is 0; give at least one page");
    require(!formats.empty(),
            "CircularBufferConfig: no index given; give at least one with its "
            "format");
    for (const auto& [index, format] : formats) {
        require_allowed(index < kMaxCircularBuffers, "CircularBufferConfig", "index", index,
                        fmt::format("0 to {}", kMaxCircularBuffers - 1));
        require(format != DataFormat::Invalid, "CircularBufferConfig: index {} has format invalid",
                index);
    }
}

CircularBufferConfig& CircularBufferConfig::set_page_size(std::uint8_t index,
                                                          std::uint32_t page_size) {
    require_index(*this, index, "set_page_size");
    require(page_size > 0, "CircularBufferConfig::set_page_size: page_size of index {} is 0",
            index);
    require(total_size % page_size == 0,
            "CircularBufferConfig::set_page_size: page_size {} of index {} does not divide "
            "total_size {}",
            page_size, index, total_size);
    page_sizes[index] = page_size;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_tile_dims(std::uint8_t index, const Tile& tile) {
    require_index(*this, index, "set_tile_dims");
    tiles[index] = tile;
    return *this;
}

Tile CircularBufferConfig::tile_of(std::uint8_t index) const {
    const auto found = tiles.find(index);
    return found == tiles.end() ? Tile() : found->second;
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(const Buffer& buffer) {
    const bool is_sharded = buffer.layout != TensorMemoryLayout::INTERLEAVED;
    require_allowed(buffer.type == BufferType::L1 && is_sharded,
                    "CircularBufferConfig::set_globally_allocated_address", "buffer",
                    fmt::format("{} in {}", is_sharded ? "sharded" : "interleaved",
                                buffer.type == BufferType::L1 ? "L1" : "DRAM"),
                    "sharded in L1");
    const std::uint64_t shard_bytes = PageMap(buffer, {}).bytes_per_bank();
    require(total_size <= shard_bytes,
            "CircularBufferConfig::set_globally_allocated_address: total_size is {} B, but the "
            "buffer has {} B on a core",
            total_size, shard_bytes);
    globally_allocated_address = buffer.address;
    return *this;
}

CBHandle CreateCircularBuffer(Program& program, const CoreSpec& spec, CircularBufferConfig config) {
    CoreRangeSet cores = to_core_range_set(spec);
    require(!cores.empty(), "CreateCircularBuffer: no cores given; give at least 1");
    const std::vector<CoreCoord> each = cores.cores();
    for (const auto& [index, format] : config.formats) {
        require(config.page_sizes.contains(index),
                "CreateCircularBuffer: index {} ({}) has no page size; call set_page_size first",
                index, name_of(format));
        for (const CircularBufferDescription& present : program.circular_buffers) {
            require_free_index(present, index, each);
        }
    }
    program.circular_buffers.push_back({std::move(cores), std::move(config)});
    return static_cast<CBHandle>(program.circular_buffers.size() - 1);
}

}  // namespace tessera
