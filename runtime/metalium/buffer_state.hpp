// SPDX-License-Identifier: Apache-2.0
// Contents of TT-Metalium's buffers, and access to their bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/metalium/host_session.hpp"
#include "tessera/tensor.hpp"
#include "tt-metalium/buffer.hpp"

namespace tt::tt_metal::detail {

struct BufferState {
    tessera::metalium::HostSession* session = nullptr;
    IDevice* device = nullptr;
    DeviceAddr size = 0;
    BufferType type = BufferType::DRAM;
    std::optional<ShardSpecBuffer> shards;
    TensorMemoryLayout layout = TensorMemoryLayout::INTERLEAVED;
    std::vector<tessera::DeviceTensor> tensors;  ///< one on each device
    bool is_allocated = false;
    bool owns_memory = true;  ///< false at an address that the program chose
    std::size_t unique_id = 0;
};

/// Frees the memory of a buffer, if it has any.
void release(BufferState& state);
/// Frees the memory of all buffers that were created on `device`.
void release_buffers_of(const IDevice& device);

/// Copies bytes to the pages of a buffer on one device, from byte `offset` of its pages on.
/// Errors   UsageError if the range is not inside the buffer.
void write_bytes(const BufferState& state, std::size_t device, DeviceAddr offset,
                 std::span<const std::byte> source);
/// Copies bytes of a buffer on one device to the host.
void read_bytes(const BufferState& state, std::size_t device, DeviceAddr offset,
                std::span<std::byte> target);

}  // namespace tt::tt_metal::detail
