// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/models/shards.hpp"

#include "bench/accuracy/programs/places.hpp"

namespace tessera::score {
namespace {

CircularBufferConfig config_of(std::uint8_t index, std::uint32_t tiles, DataFormat format,
                               Tile tile = {}) {
    const std::uint32_t page = tile.get_tile_size(format);
    return CircularBufferConfig(tiles * page, {{index, format}})
        .set_page_size(index, page)
        .set_tile_dims(index, tile);
}

}  // namespace

DeviceTensor allocate_shards(Bench& bench, const char* name, const Shards& shards) {
    ShardSpec shard{.cores = shards.cores, .shard_shape = {1, shards.tiles}};
    const std::vector<CoreCoord> cores = shard_cores(shard);
    for (const CoreCoord core : cores) {
        check_core(bench.arch(), core);
    }
    const auto columns = static_cast<std::uint32_t>(cores.size()) * shards.tiles;
    shard.tensor_shape = {1, columns};
    return bench.session().allocate_sharded(
        0, name, {{kTileSide, columns * kTileSide}, shards.format, Layout::TILE}, BufferType::L1,
        TensorMemoryLayout::WIDTH_SHARDED, shard);
}

void add_cb(Program& program, const CoreSpec& cores, std::uint8_t index, std::uint32_t tiles,
            DataFormat format, Tile tile) {
    CreateCircularBuffer(program, cores, config_of(index, tiles, format, tile));
}

void add_cb_over(Program& program, const CoreSpec& cores, std::uint8_t index, std::uint32_t tiles,
                 const DeviceTensor& tensor) {
    CircularBufferConfig config = config_of(index, tiles, tensor.spec.format);
    CreateCircularBuffer(program, cores, config.set_globally_allocated_address(tensor.buffer));
}

}  // namespace tessera::score
