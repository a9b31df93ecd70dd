// SPDX-License-Identifier: Apache-2.0
// Circular buffers from one core to others, which outlive a program.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tt-metalium/host_api.hpp"

namespace tt::tt_metal::experimental {

/// Memory of equal size in the L1 of senders and receivers. The kernel of a sender writes pages
/// into the memory of its receivers (docs/existing_programs.md).
class GlobalCircularBuffer {
public:
    using Mapping = std::vector<std::pair<CoreCoord, CoreRangeSet>>;

    /// Allocates `size` bytes on each core of `mapping`, which has the receivers of each sender.
    /// Errors   std::runtime_error if a sender has no receiver, a core has two ends, or memory runs
    ///          out.
    GlobalCircularBuffer(IDevice* device, Mapping mapping, std::uint32_t size,
                         BufferType type = BufferType::L1);

    [[nodiscard]] const Buffer& cb_buffer() const { return *buffer_; }
    [[nodiscard]] const CoreRangeSet& sender_cores() const { return senders_; }
    [[nodiscard]] const CoreRangeSet& receiver_cores() const { return receivers_; }
    [[nodiscard]] const CoreRangeSet& all_cores() const { return all_; }
    [[nodiscard]] DeviceAddr buffer_address() const { return buffer_->address(); }
    /// Returns the address of the words that keep the state of each core's end.
    [[nodiscard]] DeviceAddr config_address() const { return config_->address(); }
    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] const Mapping& sender_receiver_core_mapping() const { return mapping_; }
    [[nodiscard]] IDevice* get_device() const { return buffer_->device(); }

private:
    Mapping mapping_;
    CoreRangeSet senders_;
    CoreRangeSet receivers_;
    CoreRangeSet all_;
    std::uint32_t size_ = 0;
    std::shared_ptr<Buffer> buffer_;
    std::shared_ptr<Buffer> config_;
};

[[nodiscard]] GlobalCircularBuffer CreateGlobalCircularBuffer(
    IDevice* device, const GlobalCircularBuffer::Mapping& sender_receiver_core_mapping,
    std::uint32_t size, BufferType type = BufferType::L1);

/// Adds the ends of a global circular buffer on `cores`, under the remote indices of `config`. The
/// other indices of `config` are local circular buffers over the same bytes.
/// Errors   std::runtime_error if a core has no end, or a remote index has no page size.
CBHandle CreateCircularBuffer(Program& program, const CoreSpecification& cores,
                              const CircularBufferConfig& config,
                              const GlobalCircularBuffer& global_circular_buffer);

}  // namespace tt::tt_metal::experimental
