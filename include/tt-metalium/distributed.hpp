// SPDX-License-Identifier: Apache-2.0
// Calls on meshes, their buffers and queues.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tt-metalium/host_api.hpp"
#include "tt-metalium/mesh_buffer.hpp"
#include "tt-metalium/mesh_command_queue.hpp"
#include "tt-metalium/mesh_coord.hpp"
#include "tt-metalium/mesh_device.hpp"
#include "tt-metalium/mesh_workload.hpp"
#include "tt-metalium/tensor_accessor_args.hpp"

namespace tt::tt_metal::distributed {

/// Runs the programs of a workload together, each on the devices of its range.
inline void EnqueueMeshWorkload(MeshCommandQueue& queue, MeshWorkload& workload, bool blocking) {
    queue.enqueue_mesh_workload(workload, blocking);
}

/// Writes a buffer: the same bytes to each device, or each device's part of the matrix. Of a vector
/// that is shorter than a replicated buffer, all elements are written, with a warning.
/// Errors   std::runtime_error if the vector is shorter than a sharded buffer.
template <class T>
void EnqueueWriteMeshBuffer(MeshCommandQueue& queue, const std::shared_ptr<MeshBuffer>& buffer,
                            const std::vector<T>& source, bool blocking = false) {
    const std::size_t bytes =
        tt_metal::detail::bytes_to_copy(source.size() * sizeof(T), buffer->size());
    if (bytes == buffer->size()) {
        queue.enqueue_write_mesh_buffer(buffer, source.data(), blocking);
        return;
    }
    TT_FATAL(buffer->global_layout() == MeshBufferLayout::REPLICATED,
             "EnqueueWriteMeshBuffer: {} bytes for a sharded buffer of {}", bytes, buffer->size());
    queue.enqueue_write_shard_to_sub_grid(*buffer, source.data(),
                                          MeshCoordinateRange(buffer->device()->shape()), blocking,
                                          BufferRegion(0, bytes));
}
/// Reads a buffer: the matrix from its parts, or the bytes of the first device.
template <class T>
void EnqueueReadMeshBuffer(MeshCommandQueue& queue, std::vector<T>& target,
                           const std::shared_ptr<MeshBuffer>& buffer, bool blocking = true) {
    target.resize(buffer->size() / sizeof(T));
    queue.enqueue_read_mesh_buffer(target.data(), buffer, blocking);
}

/// Writes one device's part.
template <class T>
void WriteShard(MeshCommandQueue& queue, const std::shared_ptr<MeshBuffer>& buffer,
                std::vector<T>& source, const MeshCoordinate& coordinate, bool blocking = false) {
    const std::size_t bytes =
        tt_metal::detail::bytes_to_copy(source.size() * sizeof(T), buffer->device_local_size());
    queue.enqueue_write_shards(
        buffer,
        {ShardDataTransfer(coordinate).host_data(source.data()).region(BufferRegion(0, bytes))},
        blocking);
}
/// Reads one device's part.
template <class T>
void ReadShard(MeshCommandQueue& queue, std::vector<T>& target,
               const std::shared_ptr<MeshBuffer>& buffer, const MeshCoordinate& coordinate,
               bool blocking = true) {
    target.resize(buffer->device_local_size() / sizeof(T));
    queue.enqueue_read_shards({ShardDataTransfer(coordinate).host_data(target.data())}, buffer,
                              blocking);
}

inline void Finish(MeshCommandQueue& queue, std::span<const SubDeviceId> sub_devices = {}) {
    queue.finish(sub_devices);
}
inline void Synchronize(MeshDevice* /*device*/, std::optional<std::uint8_t> /*queue*/,
                        std::span<const SubDeviceId> /*sub_devices*/ = {}) {
}
inline void EventSynchronize(const MeshEvent& /*event*/) {
}
[[nodiscard]] inline bool EventQuery(const MeshEvent& /*event*/) {
    return true;
}
inline void EnqueueWaitForEvent(MeshCommandQueue& /*queue*/, const MeshEvent& /*event*/) {
}
[[nodiscard]] inline MeshEvent EnqueueRecordEvent(MeshCommandQueue& queue) {
    return queue.enqueue_record_event();
}

[[nodiscard]] inline MeshTraceId BeginTraceCapture(MeshDevice* device, std::uint8_t queue) {
    return device->begin_mesh_trace(queue);
}
inline void EndTraceCapture(MeshDevice* device, std::uint8_t queue, const MeshTraceId& trace) {
    device->end_mesh_trace(queue, trace);
}
inline void ReplayTrace(MeshDevice* device, std::uint8_t queue, const MeshTraceId& trace,
                        bool blocking) {
    device->replay_mesh_trace(queue, trace, blocking);
}
inline void ReleaseTrace(MeshDevice* device, const MeshTraceId& trace) {
    device->release_mesh_trace(trace);
}
[[nodiscard]] inline bool UsingDistributedEnvironment() {
    return false;
}

}  // namespace tt::tt_metal::distributed
