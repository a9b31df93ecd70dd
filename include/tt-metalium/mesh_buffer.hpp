// SPDX-License-Identifier: Apache-2.0
// Buffers at one address on every device of a mesh.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "tt-metalium/buffer.hpp"
#include "tt-metalium/mesh_device.hpp"
#include "tt-metalium/shape2d.hpp"

namespace tt::tt_metal::distributed {

/// Pages, memory and shards of the buffer on each device.
struct DeviceLocalBufferConfig {
    DeviceAddr page_size = 0;
    BufferType buffer_type = BufferType::DRAM;
    // Programs of 2025 set these two members; newer programs set sharding_args.
    TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
    std::optional<ShardSpecBuffer> shard_parameters = std::nullopt;
    BufferShardingArgs sharding_args;
    std::optional<bool> bottom_up;
    std::optional<SubDeviceId> sub_device_id = std::nullopt;
};

/// Equal data on each device. `size` is the bytes of one device.
struct ReplicatedBufferConfig {
    DeviceAddr size = 0;
};

/// A matrix in parts, one on each device. Shapes count elements (height, width); an extent of 0 in
/// `shard_shape` replicates along that extent.
struct ShardedBufferConfig {
    DeviceAddr global_size = 0;
    Shape2D global_buffer_shape = {0, 0};
    Shape2D shard_shape = {0, 0};
    ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR;

    [[nodiscard]] std::uint32_t compute_datum_size_bytes() const;
    [[nodiscard]] std::pair<bool, bool> replicated_dims() const;
    [[nodiscard]] Shape2D physical_shard_shape() const;
};

enum class MeshBufferLayout : std::uint8_t { REPLICATED, SHARDED };
using MeshBufferConfig = std::variant<ReplicatedBufferConfig, ShardedBufferConfig>;

class MeshBuffer {
public:
    /// Allocates a buffer at one address on all devices.
    /// Errors   std::runtime_error as Buffer::create, or if no address is free on all devices.
    static std::shared_ptr<MeshBuffer> create(const MeshBufferConfig& config,
                                              const DeviceLocalBufferConfig& local,
                                              MeshDevice* device,
                                              std::optional<DeviceAddr> address = std::nullopt);
    MeshBuffer(const MeshBufferConfig& config, const DeviceLocalBufferConfig& local,
               MeshDevice* device, std::vector<std::shared_ptr<Buffer>> buffers);

    [[nodiscard]] MeshDevice* device() const { return device_; }
    [[nodiscard]] bool is_allocated() const { return !buffers_.empty(); }
    void deallocate() { buffers_.clear(); }
    /// Returns the bytes of the whole matrix, or of one device if replicated.
    [[nodiscard]] DeviceAddr size() const;
    [[nodiscard]] DeviceAddr device_local_size() const { return local_size_; }
    [[nodiscard]] DeviceAddr address() const { return address_; }
    [[nodiscard]] std::uint32_t page_size() const {
        return static_cast<std::uint32_t>(local_.page_size);
    }
    [[nodiscard]] std::uint32_t num_pages() const {
        return static_cast<std::uint32_t>(local_size_ / local_.page_size);
    }
    [[nodiscard]] MeshBufferLayout global_layout() const;
    [[nodiscard]] const MeshBufferConfig& global_config() const { return config_; }
    [[nodiscard]] const ShardedBufferConfig& global_shard_spec() const {
        return std::get<ShardedBufferConfig>(config_);
    }
    [[nodiscard]] const DeviceLocalBufferConfig& device_local_config() const { return local_; }
    [[nodiscard]] Buffer* get_device_buffer(const MeshCoordinate& coordinate) const;
    /// Returns the buffer of the first device.
    [[nodiscard]] Buffer* get_reference_buffer() const { return buffers_.front().get(); }
    [[nodiscard]] Buffer* get_backing_buffer() const { return get_reference_buffer(); }
    [[nodiscard]] const std::vector<std::shared_ptr<Buffer>>& device_buffers() const {
        return buffers_;
    }

private:
    MeshBufferConfig config_;
    DeviceLocalBufferConfig local_;
    MeshDevice* device_;
    std::vector<std::shared_ptr<Buffer>> buffers_;  ///< by device, row by row
    DeviceAddr local_size_;
    DeviceAddr address_;
};

}  // namespace tt::tt_metal::distributed
