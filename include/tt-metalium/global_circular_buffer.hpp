// SPDX-License-Identifier: Apache-2.0
// Circular buffers from one core to others, which outlive a program.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tt-metalium/host_api.hpp"

namespace tt::tt_metal::experimental {

/// Equal parts of L1 on senders and receivers: a sender's kernel writes pages into the parts of its
/// receivers (docs/existing_programs.md).
class GlobalCircularBuffer {
public:
    using Mapping = std::vector<std::pair<CoreCoord, CoreRangeSet>>;

    /// `mapping` has the receivers of each sender, `size` the bytes on each core.
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

/// Gives kernels on `cores` their ends of a global circular buffer under the remote indices of
/// `config`. Its other indices are local circular buffers over the same bytes.
/// Errors   std::runtime_error if a core has no end, or a remote index has no page size.
CBHandle CreateCircularBuffer(Program& program, const CoreSpecification& cores,
                              const CircularBufferConfig& config,
                              const GlobalCircularBuffer& global_circular_buffer);

}  // namespace tt::tt_metal::experimental
