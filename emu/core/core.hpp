// SPDX-License-Identifier: Apache-2.0
// One worker core: L1 in its window, circular buffers, semaphores and kernel threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "emu/core/circular_buffer.hpp"
#include "emu/core/semaphore_waiters.hpp"
#include "emu/core/window.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/kernel/fabric_mux_layout.hpp"
#include "tessera/processor.hpp"

namespace tessera {

class Device;
class KernelThread;

/// State of the mux that runs on a core: its link and the channels in its L1. Workers on other cores
/// read it.
struct FabricMux {
    std::uint32_t link_channel = 0;  ///< channel of the mux's link, as in FabricConnection
    kernel::FabricMuxLayout layout;
    /// Set after the other members. Workers on other host threads may read these once it is true.
    std::atomic<bool> is_serving{false};
};

class Core {
public:
    /// Creates the core at `logical`. `window_base` is the host address of its window (Window).
    Core(Device& device, const ArchSpec& arch, CoreCoord logical, std::byte* window_base);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    [[nodiscard]] Device& device() const noexcept { return *device_; }
    [[nodiscard]] const ArchSpec& arch() const noexcept { return *arch_; }
    [[nodiscard]] CoreCoord logical() const noexcept { return logical_; }
    /// Returns the coordinate that NoC addresses of this core carry.
    [[nodiscard]] CoreCoord virtual_coord() const noexcept;
    [[nodiscard]] std::byte* l1(std::uint32_t address) const noexcept { return window.at(address); }

    Window window;
    std::array<CircularBuffer, kMaxCircularBuffers> circular_buffers{};
    SemaphoreWaiters semaphore_waiters;
    FabricMux mux;
    // Words that mailbox_write has sent and mailbox_read has not returned, by receiver.
    std::deque<std::uint32_t> mail_of_compute;        ///< from a data-movement kernel
    std::deque<std::uint32_t> mail_of_data_movement;  ///< from the compute kernel
    std::deque<std::uint32_t> mail_within_compute;    ///< from thread to thread of that kernel
    /// Threads of the current launch, by processor; null if the core has no kernel on it.
    std::array<std::unique_ptr<KernelThread>, kNumProcessors> threads;

    /// Removes the threads and circular buffers of the last launch. L1 keeps its bytes.
    void reset();

private:
    Device* device_;
    const ArchSpec* arch_;
    CoreCoord logical_;
};

}  // namespace tessera
