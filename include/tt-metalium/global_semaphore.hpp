// SPDX-License-Identifier: Apache-2.0
// Semaphores that outlive a program.
#pragma once

#include <cstdint>
#include <memory>

#include "tt-metalium/buffer.hpp"

namespace tt::tt_metal {

/// A word of L1 at one address on each of a set of cores.
class GlobalSemaphore {
public:
    GlobalSemaphore(IDevice* device, const CoreRangeSet& cores, std::uint32_t initial_value,
                    BufferType type = BufferType::L1);

    [[nodiscard]] IDevice* device() const { return buffer_->device(); }
    [[nodiscard]] DeviceAddr address() const { return buffer_->address(); }
    void reset_semaphore_value(std::uint32_t value) const;

private:
    std::shared_ptr<Buffer> buffer_;
};

/// Creates a semaphore and writes its value on each core.
[[nodiscard]] GlobalSemaphore CreateGlobalSemaphore(IDevice* device, const CoreRangeSet& cores,
                                                    std::uint32_t initial_value,
                                                    BufferType type = BufferType::L1);

}  // namespace tt::tt_metal
