// SPDX-License-Identifier: Apache-2.0
// Queue of a mesh: transfers and workloads, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tt-metalium/mesh_buffer.hpp"
#include "tt-metalium/mesh_device.hpp"
#include "tt-metalium/mesh_workload.hpp"

namespace tt::tt_metal::distributed {

/// Point in a queue. The queue has reached it when the call that returns the event returns.
class MeshEvent {
public:
    MeshEvent(std::uint32_t id, MeshDevice* device, std::uint32_t queue)
        : id_(id), device_(device), queue_(queue) {}
    [[nodiscard]] std::uint32_t id() const { return id_; }
    [[nodiscard]] MeshDevice* device() const { return device_; }
    [[nodiscard]] std::uint32_t mesh_cq_id() const { return queue_; }

private:
    std::uint32_t id_;
    MeshDevice* device_;
    std::uint32_t queue_;
};

/// Host memory for one device's part of a buffer.
class ShardDataTransfer {
public:
    explicit ShardDataTransfer(const MeshCoordinate& coordinate) : coordinate_(coordinate) {}
    [[nodiscard]] MeshCoordinate shard_coord() const { return coordinate_; }
    [[nodiscard]] void* host_data() const { return data_; }
    [[nodiscard]] std::optional<BufferRegion> region() const { return region_; }
    ShardDataTransfer& host_data(void* data) {
        data_ = data;
        return *this;
    }
    ShardDataTransfer& region(std::optional<BufferRegion> region) {
        region_ = region;
        return *this;
    }

private:
    MeshCoordinate coordinate_;
    void* data_ = nullptr;
    std::optional<BufferRegion> region_;
};

/// Queue of a mesh. Commands complete before the call that enqueues them returns, blocking or not.
class MeshCommandQueue {
public:
    MeshCommandQueue(MeshDevice* device, std::uint32_t id) : device_(device), id_(id) {}
    MeshCommandQueue(const MeshCommandQueue&) = delete;
    MeshCommandQueue& operator=(const MeshCommandQueue&) = delete;

    [[nodiscard]] MeshDevice* device() const { return device_; }
    [[nodiscard]] std::uint32_t id() const { return id_; }

    void enqueue_mesh_workload(MeshWorkload& workload, bool blocking);
    void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* host_data,
                                   bool blocking);
    void enqueue_read_mesh_buffer(void* host_data, const std::shared_ptr<MeshBuffer>& buffer,
                                  bool blocking);
    /// Writes the same bytes to each device of a range.
    void enqueue_write_shard_to_sub_grid(const MeshBuffer& buffer, const void* host_data,
                                         const MeshCoordinateRange& range, bool blocking,
                                         std::optional<BufferRegion> region = std::nullopt);
    void enqueue_write_shards(const std::shared_ptr<MeshBuffer>& buffer,
                              const std::vector<ShardDataTransfer>& transfers, bool blocking);
    void enqueue_read_shards(const std::vector<ShardDataTransfer>& transfers,
                             const std::shared_ptr<MeshBuffer>& buffer, bool blocking);
    MeshEvent enqueue_record_event(std::span<const SubDeviceId> sub_devices = {},
                                   const std::optional<MeshCoordinateRange>& range = std::nullopt);
    MeshEvent enqueue_record_event_to_host(
        std::span<const SubDeviceId> sub_devices = {},
        const std::optional<MeshCoordinateRange>& range = std::nullopt) {
        return enqueue_record_event(sub_devices, range);
    }
    void enqueue_wait_for_event(const MeshEvent& /*event*/) {}
    void finish(std::span<const SubDeviceId> /*sub_devices*/ = {}) {}

private:
    MeshDevice* device_;
    std::uint32_t id_;
    std::uint32_t next_event_ = 0;
};

}  // namespace tt::tt_metal::distributed
