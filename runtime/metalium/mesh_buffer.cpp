// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/mesh_buffer.hpp"

#include <algorithm>

#include "runtime/metalium/device_state.hpp"
#include "tessera/errors.hpp"

namespace tt::tt_metal::distributed {

using tessera::require;

namespace {

DeviceAddr local_size_of(const MeshBufferConfig& config) {
    if (const auto* replicated = std::get_if<ReplicatedBufferConfig>(&config)) {
        return replicated->size;
    }
    const auto& sharded = std::get<ShardedBufferConfig>(config);
    const Shape2D shard = sharded.physical_shard_shape();
    return sharded.compute_datum_size_bytes() * shard.height() * shard.width();
}

BufferShardingArgs sharding_of(const DeviceLocalBufferConfig& local) {
    return local.shard_parameters ? BufferShardingArgs(local.shard_parameters, local.buffer_layout)
                                  : local.sharding_args;
}

// Kernels of all devices use one address; devices that allocate in one order agree by themselves.
void require_one_address(const std::vector<std::shared_ptr<Buffer>>& buffers) {
    for (const auto& buffer : buffers) {
        require(buffer->address() == buffers.front()->address(),
                "MeshBuffer: address {:#x} on device {} and {:#x} on device {}; allowed: equal "
                "allocations on all devices of a mesh",
                buffers.front()->address(), buffers.front()->device()->id(), buffer->address(),
                buffer->device()->id());
    }
}

}  // namespace

std::uint32_t ShardedBufferConfig::compute_datum_size_bytes() const {
    const std::size_t elements = global_buffer_shape.height() * global_buffer_shape.width();
    require(elements != 0 && global_size % elements == 0,
            "MeshBuffer: {} bytes for {} x {} elements", global_size, global_buffer_shape.height(),
            global_buffer_shape.width());
    return static_cast<std::uint32_t>(global_size / elements);
}

std::pair<bool, bool> ShardedBufferConfig::replicated_dims() const {
    return {shard_shape.height() == 0, shard_shape.width() == 0};
}

Shape2D ShardedBufferConfig::physical_shard_shape() const {
    const auto [all_rows, all_columns] = replicated_dims();
    return {all_rows ? global_buffer_shape.height() : shard_shape.height(),
            all_columns ? global_buffer_shape.width() : shard_shape.width()};
}

std::shared_ptr<MeshBuffer> MeshBuffer::create(const MeshBufferConfig& config,
                                               const DeviceLocalBufferConfig& local,
                                               MeshDevice* device,
                                               std::optional<DeviceAddr> address) {
    const DeviceAddr size = local_size_of(config);
    std::vector<std::shared_ptr<Buffer>> buffers;
    for (IDevice* each : device->get_devices()) {
        buffers.push_back(address ? Buffer::create(each, *address, size, local.page_size,
                                                   local.buffer_type, sharding_of(local))
                                  : Buffer::create(each, size, local.page_size, local.buffer_type,
                                                   sharding_of(local)));
    }
    require_one_address(buffers);
    return std::make_shared<MeshBuffer>(config, local, device, std::move(buffers));
}

MeshBuffer::MeshBuffer(const MeshBufferConfig& config, const DeviceLocalBufferConfig& local,
                       MeshDevice* device, std::vector<std::shared_ptr<Buffer>> buffers)
    : config_(config),
      local_(local),
      device_(device),
      buffers_(std::move(buffers)),
      local_size_(local_size_of(config)),
      address_(buffers_.front()->address()) {
}

DeviceAddr MeshBuffer::size() const {
    const auto* sharded = std::get_if<ShardedBufferConfig>(&config_);
    return sharded != nullptr ? sharded->global_size : local_size_;
}

MeshBufferLayout MeshBuffer::global_layout() const {
    return std::holds_alternative<ReplicatedBufferConfig>(config_) ? MeshBufferLayout::REPLICATED
                                                                   : MeshBufferLayout::SHARDED;
}

Buffer* MeshBuffer::get_device_buffer(const MeshCoordinate& coordinate) const {
    return buffers_.at(coordinate.to_linear_index(device_->shape())).get();
}

}  // namespace tt::tt_metal::distributed
